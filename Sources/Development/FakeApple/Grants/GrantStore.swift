import FileSystem
import JSON
import Synchronization

/// Keeps the grants in a file, so that they survive a kill of the process.
final class GrantStore: Sendable {
    private let path: String
    private let grants: Mutex<Grants>

    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) was not written by fake-apple: delete it" }
    }

    init(in directory: String) throws {
        path = directory + "/grants.json"
        guard File.exists(path) else {
            grants = Mutex(Grants())
            return
        }
        let json = (try? JSONValue(parsing: try File.read(path, atMost: 1 << 26)))?.object?["grants"]?.array
        let known = json?.map { $0.object.flatMap(Grant.init) }
        guard let known, !known.contains(where: { $0 == nil }) else { throw Unreadable(path: path) }
        grants = Mutex(Grants(known.compactMap(\.self)))
    }

    var all: [Grant] { grants.withLock(\.all) }

    /// Codes expire after five minutes, and are only kept in memory.
    func add(_ login: MintedLogin) { grants.withLock { $0.add(login) } }

    /// Changes the grants, and writes them to the file before it returns.
    func change<Result>(_ body: (inout Grants) throws(OAuthError) -> Result) throws(OAuthError) -> Result {
        try grants.withLock { grants throws(OAuthError) in
            let before = grants.all
            let result = try body(&grants)
            if grants.all != before { write(grants.all) }
            return result
        }
    }

    private func write(_ all: [Grant]) {
        let json: JSONObject = ["grants": .array(all.map { .object($0.json) })]
        do { try File.replace(path, with: json.bytes) } catch {
            StandardStream.error.line("fake Apple: \(error)")
        }
    }
}
