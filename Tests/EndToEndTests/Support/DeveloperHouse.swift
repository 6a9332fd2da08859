import FakeApple
import Foundation
import JOSE
import JSON
import SQLite
import TestSupport

/// `gatehouse serve` of a developer whom a fake Apple knows, so that it exchanges codes and revokes tokens.
final class DeveloperHouse: Sendable {
    static let dataKey = key(7)

    let apple: FakeAppleServers
    let house: ServedHouse
    private let folder: TemporaryFolder

    init(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        let apple = try FakeAppleServers(in: folder)
        self.apple = apple
        house = try ServedHouse { variables in
            Self.introduce(&variables, to: apple)
            adjust(&variables)
        }
    }

    /// Gives a house all that Apple has to know of its developer.
    static func introduce(_ variables: inout [String: String], to apple: FakeAppleServers) {
        variables["APPLE_JWKS_URL"] = apple.keysURL
        variables["DATA_KEY"] = dataKey
        variables.merge(apple.developerSettings) { _, new in new }
    }

    static func key(_ number: UInt8) -> String { Base64URL.encode((0..<32).map { number &+ $0 }) }

    func signIn(_ body: JSONObject) throws -> Answer { try house.send(.post("/api/auth/apple", body)) }

    func signIn(_ subject: String) throws -> Answer { try signIn(apple.login(subject)) }

    /// Signs in, and waits for what Apple gives for the code.
    func signInAndBeGranted(_ subject: String) throws -> Answer {
        let login = try signIn(subject)
        guard Eventually.holds({ (try? isGranted(login.userID)) == true }) else {
            throw Spawn.Failure(description: "nothing came of the code: \(house.process.log)")
        }
        return login
    }

    func number(_ query: String) throws -> Int64 {
        let database = try Connection(path: house.database, access: .readOnly)
        database.setBusyTimeout(milliseconds: 5000)
        return try database.first(query) { $0.integer(0) } ?? -1
    }

    func isGranted(_ user: String) throws -> Bool {
        try number("SELECT count(*) FROM auth_accounts WHERE user_id = '\(user)' AND refresh_token IS NOT NULL") == 1
    }

    /// How much is still to be asked of Apple.
    var waiting: Int64? { try? number("SELECT count(*) FROM apple_tasks") }

    /// Whether Apple has somebody down as a user of the app.
    func isAuthorised(_ subject: String) -> Bool { apple.service.authorisations.contains { $0.subject == subject } }

    func requests(of path: String) -> [RequestRecord] { apple.service.requests.filter { $0.path == path } }

    /// The tokens that Apple has given out and still honours.
    var grantedTokens: [String] {
        let bytes = FileManager.default.contents(atPath: folder.file("apple/grants.json")) ?? Data()
        let grants = (try? JSONValue(parsing: Array(bytes)))?.object?["grants"]?.array ?? []
        return grants.compactMap { $0.object?["refreshToken"]?.string }
    }

    func stop() {
        house.process.signal(SIGTERM)
        _ = house.process.wait()
    }
}

extension House {
    func delete(_ path: String, _ login: Answer, _ body: JSONObject? = nil) throws -> Answer {
        var call = body.map { Call.post(path, $0, bearer: login.accessToken) } ?? .get(path, bearer: login.accessToken)
        call.method = "DELETE"
        return try send(call)
    }

    func deleteAccount(_ login: Answer, code: JSONValue? = nil) throws -> Answer {
        try delete("/api/users/me", login, code.map { ["authorizationCode": $0] })
    }
}
