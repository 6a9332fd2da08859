import DevelopmentHTTP
import JSON
import POSIX
import Processes

/// The providers that Gatehouse is configured with, as `gatehouse providers` prints them, so that the page has no list of its
/// own.
struct ProviderList: Sendable {
    typealias Run = @Sendable (_ words: [String]) throws(POSIXError) -> Subprocess.Outcome

    /// Where Gatehouse reaches the stand-in; nil if there is none.
    private let standIn: String?
    private let run: Run

    init(_ settings: ConsoleSettings) {
        let program = Subprocess.inheritingEnvironment(settings.gatehouse)
        self.init(applePort: settings.applePort) { words throws(POSIXError) in try program.run(words) }
    }

    /// - Parameter run: runs `gatehouse`.
    init(applePort: UInt16?, run: @escaping Run) {
        standIn = applePort.map { "http://127.0.0.1:\($0)/" }
        self.run = run
    }

    /// The `name` and `kind` of each provider, its first audience as `audience` or its app as `appId`, and as `mint` the path
    /// of the stand-in that mints its logins, unless another server is configured.
    func json() throws(HTTPRefusal) -> JSONObject {
        var providers: [JSONValue] = []
        for provider in try document(["providers", "list", "--json"])["providers"]?.array ?? [] {
            guard let provider = provider.object, let name = provider["name"]?.string else { continue }
            providers.append(.object(try entry(of: name, provider)))
        }
        return ["providers": .array(providers)]
    }

    private func entry(of name: String, _ provider: JSONObject) throws(HTTPRefusal) -> JSONObject {
        var entry: JSONObject = ["name": .string(name)]
        entry["kind"] = provider["kind"]
        entry["audience"] = provider["audiences"]?.array?.first
        entry["appId"] = provider["appId"]?.string.map(JSONValue.string)
        var address = provider["keys"]?.string
        // The list has no address of an app's API.
        if address == nil { address = try document(["providers", "show", "--json", name])["apiUrl"]?.string }
        entry["mint"] = address.flatMap(mintPath).map(JSONValue.string)
        return entry
    }

    /// `wechat/mint` for the API of WeChat, `openid/acme/mint` for keys or metadata below `openid/acme`.
    private func mintPath(for address: String) -> String? {
        guard let standIn, address.hasPrefix(standIn) else { return nil }
        let parts = address.dropFirst(standIn.count).split(separator: "/")
        let path = parts.prefix(parts.first == "openid" ? 2 : 1).joined(separator: "/") + "/mint"
        return AppleControl.isMint("/" + path) ? path : nil
    }

    private func document(_ words: [String]) throws(HTTPRefusal) -> JSONObject {
        let outcome: Subprocess.Outcome
        do throws(POSIXError) { outcome = try run(words) } catch {
            throw .failed("gatehouse providers could not be run: \(error)")
        }
        guard outcome.status == 0, let document = (try? JSONValue(parsing: Array(outcome.output.utf8)))?.object else {
            throw .failed("gatehouse providers failed: \(outcome.errorOutput.prefix { $0 != "\n" })")
        }
        return document
    }
}
