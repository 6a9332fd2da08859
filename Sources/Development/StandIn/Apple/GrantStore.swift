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
        let json = (try? JSONValue(parsing: try File.read(path, atMost: 1 << 26)))?.object
        let known = json?["grants"]?.array?.map { $0.object.flatMap(Grant.init) }
        // A file of before has no consents.
        let consents = json?["consents"].map { $0.array?.map { $0.object.flatMap(Consent.init) } } ?? []
        guard let known, let consents, !known.contains(where: { $0 == nil }), !consents.contains(where: { $0 == nil })
        else { throw Unreadable(path: path) }
        grants = Mutex(Grants(known.compactMap(\.self), consents: Set(consents.compactMap(\.self))))
    }

    var all: [Grant] { grants.withLock(\.all) }

    /// Codes expire after five minutes, and are only kept in memory.
    func add(_ login: MintedLogin) {
        grants.withLock { $0.add(login.code, AuthorizationCode(person: login.person, issuedAt: login.authenticatedAt)) }
    }

    /// Keeps a code of the page. Returns whether the user consents to the client for the first time.
    func add(_ text: String, _ code: AuthorizationCode) -> Bool {
        grants.withLock { grants in
            grants.add(text, code)
            guard grants.consent(code.person) else { return false }
            write(grants)
            return true
        }
    }

    /// Changes the grants, and writes them to the file before it returns.
    func change<Result>(_ body: (inout Grants) throws(OAuthError) -> Result) throws(OAuthError) -> Result {
        try grants.withLock { grants throws(OAuthError) in
            let before = grants.all
            let result = try body(&grants)
            if grants.all != before { write(grants) }
            return result
        }
    }

    private func write(_ grants: Grants) {
        let json: JSONObject = [
            "grants": .array(grants.all.map { .object($0.json) }),
            "consents": .array(grants.consents.map { .object($0.json) }),
        ]
        do { try File.replace(path, with: json.bytes) } catch {
            StandardStream.error.line("fake Apple: \(error)")
        }
    }
}
