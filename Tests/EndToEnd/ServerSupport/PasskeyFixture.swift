import JOSE
import JSON
import StandIn
import TestSupport

/// A server with passkeys, and what an app does with an authenticator.
final class PasskeyFixture: Sendable {
    static let rpID = "example.com"

    let codes: CodeFixture
    let server: any TestServer

    init(
        _ environment: TestEnvironment = .handler, _ adjust: @escaping (inout [String: String]) -> Void = { _ in }
    ) throws {
        codes = try CodeFixture(environment) { variables in
            variables["PASSKEY_RP_ID"] = Self.rpID
            variables["PASSKEY_USER_VERIFICATION"] = "required"
            adjust(&variables)
        }
        server = codes.server
    }

    /// - Parameter codes: of a server that has passkeys.
    init(_ codes: CodeFixture) {
        self.codes = codes
        server = codes.server
    }

    /// Of the handler in this process.
    var inProcess: InProcessServer {
        guard let server = server as? InProcessServer else { fatalError("the server is another process") }
        return server
    }

    // MARK: What is sent

    func options(_ path: String, _ body: JSONObject = [:], bearer: String? = nil) throws -> TestResponse {
        try server.send(.post(path + "/options", body, bearer: bearer))
    }

    /// The request with an authenticator's answer to new options.
    func signIn(
        _ device: inout SoftwareAuthenticator, passkey: String? = nil, faults: Set<PasskeyFault> = []
    ) throws -> TestRequest {
        let path = "/api/auth/passkey"
        let options = try options(path)
        let credential = try device.sign(options["publicKey"]?.object ?? [:], passkey: passkey, faults: faults)
        return .post(path, ["passkeyId": options["passkeyId"] ?? nil, "credential": .object(credential)])
    }

    func signUp(
        _ device: inout SoftwareAuthenticator, _ profile: JSONObject = [:], faults: Set<PasskeyFault> = []
    ) throws -> TestRequest {
        try creation("/api/auth/passkey/signup", &device, profile, faults, bearer: nil)
    }

    func addition(
        _ device: inout SoftwareAuthenticator, to login: TestResponse, faults: Set<PasskeyFault> = []
    ) throws -> TestRequest {
        try creation("/api/users/me/passkeys", &device, [:], faults, bearer: login.accessToken)
    }

    private func creation(
        _ path: String, _ device: inout SoftwareAuthenticator, _ profile: JSONObject, _ faults: Set<PasskeyFault>,
        bearer: String?
    ) throws -> TestRequest {
        let options = try options(path, profile, bearer: bearer)
        let credential = try device.create(options["publicKey"]?.object ?? [:], faults: faults)
        return .post(
            path, ["passkeyId": options["passkeyId"] ?? nil, "credential": .object(credential)], bearer: bearer)
    }

    /// The same new credential as the answer to other options: without an attestation, nothing binds it to the first ones.
    func repeated(_ creation: TestRequest) throws -> TestRequest {
        var ask = creation
        ask.path += "/options"
        ask.body = JSONObject().bytes
        let options = try server.send(ask)
        var body = try JSONValue(parsing: creation.body).object ?? [:]
        var credential = body["credential"]?.object ?? [:]
        var response = credential["response"]?.object ?? [:]
        let data: JSONObject = [
            "type": "webauthn.create", "challenge": options["publicKey"]?.object?["challenge"] ?? nil,
            "origin": .string("https://" + Self.rpID),
        ]
        response["clientDataJSON"] = .string(Base64URL.encode(data.bytes))
        credential["response"] = .object(response)
        (body["credential"], body["passkeyId"]) = (.object(credential), options["passkeyId"])
        var request = creation
        request.body = body.bytes
        return request
    }

    // MARK: The same, sent

    /// A new user with a passkey in a new authenticator.
    func newUser(
        _ profile: JSONObject = [:], counting count: UInt32? = nil
    ) throws -> (device: SoftwareAuthenticator, login: TestResponse) {
        var device = SoftwareAuthenticator()
        device.signCount = count
        let login = try server.send(signUp(&device, profile))
        return (device, login)
    }

    func logIn(_ device: inout SoftwareAuthenticator, faults: Set<PasskeyFault> = []) throws -> TestResponse {
        try server.send(signIn(&device, faults: faults))
    }

    /// Adds a passkey in a new authenticator.
    func add(to login: TestResponse) throws -> (device: SoftwareAuthenticator, answer: TestResponse) {
        var device = SoftwareAuthenticator()
        let answer = try server.send(addition(&device, to: login))
        return (device, answer)
    }

    func passkeys(of login: TestResponse) throws -> [JSONObject] {
        try server.send(.get("/api/users/me/passkeys", bearer: login.accessToken))["passkeys"]?.array?
            .compactMap(\.object) ?? []
    }

    func accounts(of login: TestResponse) throws -> [JSONObject] {
        try server.send(.get("/api/users/me/accounts", bearer: login.accessToken))["accounts"]?.array?
            .compactMap(\.object) ?? []
    }

    func refusal(_ response: TestResponse) -> String { codes.refusal(response) }
}
