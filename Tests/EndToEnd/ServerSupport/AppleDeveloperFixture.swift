import Foundation
import JOSE
import JSON
import SQL
import StandIn
import StoreSupport
import TestSupport

/// A server with Apple developer credentials and the fake Apple that accepts them. It exchanges
/// codes and revokes tokens.
final class AppleDeveloperFixture: Sendable {
    static let dataKey = key(7)

    let apple: FakeAppleServer
    let server: ServerProcess
    private let folder: TemporaryFolder

    init(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        let apple = try FakeAppleServer(in: folder)
        self.apple = apple
        server = try ServerProcess { variables in
            Self.configure(&variables, for: apple)
            adjust(&variables)
        }
        // On a busy machine, the first fetch of Apple's keys may take longer than the server waits.
        _ = Eventually.holds { (try? server.send(.get("/readyz")).status) == 200 }
    }

    /// Sets the settings that Apple's token endpoints need.
    static func configure(_ variables: inout [String: String], for apple: FakeAppleServer) {
        variables["APPLE_JWKS_URL"] = apple.keysURL
        variables["DATA_KEY"] = dataKey
        variables.merge(apple.developerSettings) { _, new in new }
    }

    static func key(_ number: UInt8) -> String {
        var generator = SeededGenerator(seed: UInt64(number))
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    func logIn(_ body: JSONObject) throws -> TestResponse { try server.send(.post("/api/auth/apple", body)) }

    func logIn(_ subject: String) throws -> TestResponse { try logIn(apple.login(subject)) }

    /// Logs in and waits until the authorization code is exchanged.
    func logInAndAwaitGrant(_ subject: String) throws -> TestResponse {
        let login = try logIn(subject)
        guard Eventually.holds({ (try? hasGrant(login.userID)) == true }) else {
            throw Spawn.Failure(description: "the code was not exchanged: \(server.process.log)")
        }
        return login
    }

    func number(_ query: String) throws -> Int64 {
        try server.testDatabase.number(query)
    }

    func hasGrant(_ user: String) throws -> Bool {
        try number("SELECT count(*) FROM auth_accounts WHERE user_id = '\(user)' AND refresh_token IS NOT NULL") == 1
    }

    /// The number of tasks in the Apple outbox.
    var pendingTasks: Int64? { try? number("SELECT count(*) FROM apple_tasks") }

    /// Whether Apple still lists the user as authorised for the app.
    func isAuthorised(_ subject: String) -> Bool { apple.service.authorisations.contains { $0.subject == subject } }

    func requests(of path: String) -> [RequestRecord] { apple.service.requests.filter { $0.path == path } }

    /// The refresh tokens that Apple has issued and not revoked.
    var grantedTokens: [String] {
        let bytes = FileManager.default.contents(atPath: folder.file("apple/grants.json")) ?? Data()
        let grants = (try? JSONValue(parsing: Array(bytes)))?.object?["grants"]?.array ?? []
        return grants.compactMap { $0.object?["refreshToken"]?.string }
    }

    func stop() {
        server.process.signal(SIGTERM)
        _ = server.process.wait()
    }
}

extension TestServer {
    func delete(_ path: String, _ login: TestResponse, _ body: JSONObject? = nil) throws -> TestResponse {
        var request =
            body.map { TestRequest.post(path, $0, bearer: login.accessToken) } ?? .get(path, bearer: login.accessToken)
        request.method = "DELETE"
        return try send(request)
    }

    func deleteAccount(_ login: TestResponse, code: JSONValue? = nil) throws -> TestResponse {
        try delete("/api/users/me", login, code.map { ["authorizationCode": $0] })
    }
}
