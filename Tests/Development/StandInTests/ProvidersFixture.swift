import Foundation
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing

@testable import DevelopmentHTTP
@testable import StandIn

/// The stand-ins with a settable clock, and the requests of clients.
struct ProvidersFixture {
    static let base = "http://127.0.0.1:8444"

    private final class State: Sendable {
        let now = Mutex<Int64>(1_760_000_000)
        let lines = Mutex<[String]>([])
    }

    let folder: TemporaryFolder
    let service: FakeProvidersService
    private let state = State()

    /// Generating RSA keys takes long, so fixtures share them.
    private static let sharedKeys = Result { () throws in
        try [Algorithm.RS256, .RS256, .ES256].map { try SigningKey.generate($0).pem ?? "" }
    }

    init() throws {
        let folder = try TemporaryFolder()
        let keys = try Self.sharedKeys.get()
        for (name, pem) in [("example", keys[0] + keys[2]), ("google", keys[0] + keys[1])] {
            try pem.write(toFile: folder.file("openid-\(name).pem"), atomically: true, encoding: .utf8)
        }
        let state = state
        self.folder = folder
        service = FakeProvidersService(
            base: Self.base, folder: folder.path, clock: { state.now.withLock { $0 } },
            report: { record in state.lines.withLock { $0.append(record.description) } })
    }

    var now: Int64 { state.now.withLock { $0 } }

    func advance(by seconds: Int64) { state.now.withLock { $0 += seconds } }

    /// What `fake-apple serve --log` writes about the requests, without the time.
    var logged: [String] { state.lines.withLock { $0 } }

    /// - Parameter fields: header fields, with names in lower case.
    func action(
        _ method: String, _ target: String, _ body: String = "", fields: [String: String] = [:]
    ) -> HTTPAction? {
        service.answer(
            HTTPRequest(
                method: method, target: target, fields: fields.map { .init(name: $0.key, value: $0.value) },
                body: Array(body.utf8)))
    }

    /// The HTTP answer; nil if there is none.
    func reply(
        _ method: String, _ target: String, _ body: String = "", fields: [String: String] = [:]
    ) -> HTTPReply? {
        guard case .reply(let reply, _) = action(method, target, body, fields: fields) else { return nil }
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

extension ProvidersFixture {
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
