import Foundation
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing

@testable import DevelopmentHTTP
@testable import StandIn

/// The stand-in with a settable clock, and the requests of clients.
struct StandInFixture {
    static let base = "http://127.0.0.1:8444"
    static let app = "com.example.app"
    static let otherApp = "com.example.web"
    static let form = "application/x-www-form-urlencoded"

    private final class State: Sendable {
        let now = Mutex<Int64>(1_760_000_000)
        let lines = Mutex<[String]>([])
    }

    let folder: TemporaryFolder
    private(set) var service: StandIn
    private let state = State()

    /// Generating RSA keys takes long, so fixtures share them.
    private static let sharedKeys = Result { () throws in
        try [Algorithm.RS256, .RS256, .ES256].map { try SigningKey.generate($0).pem ?? "" }
    }

    init() throws {
        folder = try TemporaryFolder()
        let keys = try Self.sharedKeys.get()
        for (name, pem) in [
            ("apple-key", keys[0] + keys[1]), ("openid-example", keys[0] + keys[2]),
            ("openid-google", keys[0] + keys[1]),
        ] {
            try pem.write(toFile: folder.file(name + ".pem"), atomically: true, encoding: .utf8)
        }
        service = try Self.service(in: folder, state)
    }

    /// Creates the service again, as after a restart of the program.
    mutating func restart() throws { service = try Self.service(in: folder, state) }

    private static func service(in folder: TemporaryFolder, _ state: State) throws -> StandIn {
        try StandIn(
            base: base, folder: folder.path,
            developer: try DeveloperAccount(in: folder.path, clientIDs: [app, otherApp]),
            clock: { state.now.withLock { $0 } },
            report: { record in state.lines.withLock { $0.append(record.description) } })
    }

    var apple: Apple { service.apple }

    var now: Int64 { state.now.withLock { $0 } }

    func advance(by seconds: Int64) { state.now.withLock { $0 += seconds } }

    /// What `stand-in serve --log` writes about the requests, without the time.
    var logged: [String] { state.lines.withLock { $0 } }

    /// - Parameter fields: header fields, with names in lower case.
    func action(
        _ method: String, _ target: String, _ body: String = "", type: String? = nil, fields: [String: String] = [:]
    ) -> HTTPAction {
        let fields = fields.merging(type.map { ["content-type": $0] } ?? [:]) { own, _ in own }
        return service.answer(
            HTTPRequest(
                method: method, target: target, fields: fields.map { .init(name: $0.key, value: $0.value) },
                body: Array(body.utf8)))
    }

    /// The HTTP answer; nil if there is none.
    func reply(
        _ method: String, _ target: String, _ body: String = "", type: String? = nil, fields: [String: String] = [:]
    ) -> HTTPReply? {
        guard case .reply(let reply, _) = action(method, target, body, type: type, fields: fields) else { return nil }
        return reply
    }

    func get(_ target: String) throws -> HTTPReply { try #require(reply("GET", target)) }

    func text(_ target: String) throws -> String { String(decoding: try get(target).body, as: UTF8.self) }

    func json(_ target: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: try get(target).body).object)
    }

    @discardableResult
    func order(_ path: String, _ body: JSONObject = [:]) throws -> JSONObject {
        try service.control(path, body)
    }
}

// OpenID providers.
extension StandInFixture {
    func keySet(_ name: String = "example") throws -> JWKSet {
        try JWKSet(parsing: try get("/openid/\(name)/keys").body)
    }

    /// A minted token that a published key has signed.
    func token(_ name: String = "example", _ order: JSONObject = [:]) throws -> CompactJWS {
        try verified(try self.order("/openid/\(name)/mint", order)["identityToken"], name)
    }

    func verified(_ token: JSONValue?, _ name: String) throws -> CompactJWS {
        let jws = try CompactJWS(try #require(token?.string))
        try jws.verify(with: try #require(try keySet(name)[jws.keyID ?? ""]))
        return jws
    }
}

// Apple, and a server of its developer.
extension StandInFixture {
    /// The claims of a token that one of the published keys signed.
    func claims(of token: JSONValue?) throws -> JSONObject {
        let jws = try CompactJWS(try #require(token?.string))
        let set = try JWKSet(parsing: try get("/auth/keys").body, usableFor: [.RS256])
        try jws.verify(with: try #require(set[jws.keyID ?? ""]))
        return try jws.claims()
    }

    /// Posts a form to one of Apple's endpoints; `nil` leaves a field out.
    func post(_ path: String, _ fields: [String: String?]) throws -> (status: String, json: JSONObject?, body: [UInt8])
    {
        let body = fields.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
        let answer = try #require(reply("POST", path, body, type: Self.form))
        return (answer.status, (try? JSONValue(parsing: answer.body))?.object, answer.body)
    }

    /// The developer's key from the folder.
    func developerKey() throws -> SigningKey {
        let path = folder.file("AuthKey_\(apple.developer.keyID).p8")
        return try SigningKey(pem: try Text.read(path), keyID: apple.developer.keyID)
    }

    /// A client secret of a developer's server, with changed members.
    func secret(
        for clientID: String = Self.app, claims changes: JSONObject = [:], header: JSONObject = [:],
        key: SigningKey? = nil
    ) throws -> String {
        let claims: JSONObject = [
            "iss": .string(apple.developer.teamID), "sub": .string(clientID), "aud": "https://appleid.apple.com",
            "iat": .integer(now), "exp": .integer(now + 300),
        ]
        return Mint(
            key: try key.map { try SigningKey(pem: $0.pem ?? "", keyID: apple.developer.keyID) } ?? developerKey()
        )
        .sign(claims.replacing(changes), header: header)
    }

    func code(for subject: String = "ann", app: String = Self.app) throws -> String {
        var order = MintOrder(audience: app)
        order.subject = subject
        return try #require(apple.login(order)["authorizationCode"]?.string)
    }

    func exchange(_ code: String, app: String = Self.app) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        try tokens(app, ["grant_type": "authorization_code", "code": code])
    }

    func renew(_ token: String, app: String = Self.app) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        try tokens(app, ["grant_type": "refresh_token", "refresh_token": token])
    }

    private func tokens(
        _ app: String, _ fields: [String: String?]
    ) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        let client = ["client_id": app, "client_secret": try secret(for: app)]
        return try post("/auth/token", fields.merging(client) { $1 })
    }

    func revoke(_ token: String, app: String = Self.app) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        try post("/auth/revoke", ["client_id": app, "client_secret": try secret(for: app), "token": token])
    }
}

/// Files as text.
enum Text {
    static func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    static func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }
}
