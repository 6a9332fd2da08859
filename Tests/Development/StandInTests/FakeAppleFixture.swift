import Foundation
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing

@testable import DevelopmentHTTP
@testable import StandIn

/// A fake Apple with a settable clock, and the requests of a developer's server.
struct FakeAppleFixture {
    static let app = "com.example.app"
    static let otherApp = "com.example.web"

    final class Clock: Sendable {
        let now = Mutex<Int64>(1_760_000_000)
    }

    final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    let folder: TemporaryFolder
    let clock = Clock()
    private let log = Log()
    private(set) var service: FakeAppleService

    /// Generating RSA keys takes long, so fixtures share them.
    private static let sharedKeys = Result { () throws in
        let folder = try TemporaryFolder()
        return (folder, try PublishedKeys(in: folder.path))
    }

    private let keys: PublishedKeys?

    /// - Parameter hasOwnKeys: for tests that change the keys.
    init(hasOwnKeys: Bool = false) throws {
        folder = try TemporaryFolder()
        keys = hasOwnKeys ? nil : try Self.sharedKeys.get().1
        service = try Self.service(in: folder, keys, clock, log)
    }

    /// Creates the service again, as after a restart of the program.
    mutating func restart() throws { service = try Self.service(in: folder, keys, clock, log) }

    private static func service(
        in folder: TemporaryFolder, _ keys: PublishedKeys?, _ clock: Clock, _ log: Log
    ) throws -> FakeAppleService {
        let path = folder.file("apple")
        let developer = try DeveloperAccount(in: path, clientIDs: [app, otherApp])
        let keys = try keys ?? PublishedKeys(in: path)
        return try FakeAppleService(
            folder: path, keys: keys, developer: developer, clock: { clock.now.withLock { $0 } },
            report: { record in log.lines.withLock { $0.append(record.json.description) } })
    }

    var now: Int64 { clock.now.withLock { $0 } }

    func advance(by seconds: Int64) { clock.now.withLock { $0 += seconds } }

    /// What `fake-apple serve --log` writes about the requests, without the time.
    var logged: [String] { log.lines.withLock { $0 } }

    /// The HTTP answer; nil if there is none.
    ///
    /// - Parameter fields: header fields, with names in lower case.
    func reply(
        _ method: String, _ path: String, _ body: String = "", type: String? = nil, fields: [String: String] = [:]
    ) -> HTTPReply? {
        let fields = fields.merging(type.map { ["content-type": $0] } ?? [:]) { _, type in type }
        let request = HTTPRequest(
            method: method, target: path, fields: fields.map { .init(name: $0.key, value: $0.value) },
            body: Array(body.utf8))
        guard case .reply(let reply, _) = service.answer(request) else { return nil }
        return reply
    }

    /// Posts a form to one of Apple's endpoints; `nil` leaves a field out.
    func post(_ path: String, _ fields: [String: String?]) throws -> (status: String, json: JSONObject?, body: [UInt8])
    {
        let body = fields.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
        let answer = try #require(reply("POST", path, body, type: "application/x-www-form-urlencoded"))
        return (answer.status, (try? JSONValue(parsing: answer.body))?.object, answer.body)
    }
}

extension FakeAppleFixture {
    /// The developer's key from the folder.
    func developerKey() throws -> SigningKey {
        let path = folder.file("apple/AuthKey_\(service.developer.keyID).p8")
        return try SigningKey(pem: try Text.read(path), keyID: service.developer.keyID)
    }

    /// A client secret of a developer's server, with changed members.
    func secret(
        for clientID: String = Self.app, claims changes: JSONObject = [:], header: JSONObject = [:],
        key: SigningKey? = nil
    ) throws -> String {
        var claims: JSONObject = [
            "iss": .string(service.developer.teamID), "sub": .string(clientID), "aud": "https://appleid.apple.com",
            "iat": .integer(now), "exp": .integer(now + 300),
        ]
        claims.replaceMembers(by: changes)
        var members: JSONObject = ["alg": "ES256", "kid": .string(service.developer.keyID)]
        members.replaceMembers(by: header)
        let input = Base64URL.encode(members.bytes) + "." + Base64URL.encode(claims.bytes)
        return input + "." + Base64URL.encode(try (key ?? developerKey()).sign(Array(input.utf8)))
    }

    func code(for subject: String = "ann", app: String = Self.app) throws -> String {
        var order = MintOrder(audience: app)
        order.subject = subject
        return try #require(service.login(order)["authorizationCode"]?.string)
    }

    func exchange(_ code: String, app: String = Self.app) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        try post(
            "/auth/token",
            [
                "client_id": app, "client_secret": try secret(for: app), "grant_type": "authorization_code",
                "code": code,
            ])
    }

    func renew(_ token: String, app: String = Self.app) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        try post(
            "/auth/token",
            [
                "client_id": app, "client_secret": try secret(for: app), "grant_type": "refresh_token",
                "refresh_token": token,
            ])
    }

    func revoke(_ token: String, app: String = Self.app) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        try post("/auth/revoke", ["client_id": app, "client_secret": try secret(for: app), "token": token])
    }

    /// The claims of a token that one of the published keys signed.
    func claims(of token: JSONValue?) throws -> JSONObject {
        let jws = try CompactJWS(try #require(token?.string))
        let set = try JWKSet(parsing: try #require(reply("GET", "/auth/keys")).body, usableFor: [.RS256])
        try jws.verify(with: try #require(set[jws.keyID ?? ""]))
        return try jws.claims()
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
