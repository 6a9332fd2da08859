import Gatehouse
import IdentityProviders
import POSIX
import Sockets
import Testing

@testable import GatehouseServer

@Suite("The providers of browsers, as settings configure them")
struct WebProviderTests {
    /// Nothing is saved.
    private struct Storage: KeySetStorage {
        func load(_ name: String) -> Document? { nil }
        func save(_ keySet: Document, as name: String) -> Bool { false }
    }

    private static let client = "CLIENT_ID=c\nCLIENT_SECRET=Xsecret\n"
    private static let request = ProviderRequest(
        state: "s", nonce: "n", codeVerifier: "v", callback: "https://api.example.com/api/auth/main/callback")

    private let lines = Monitor<[String]>([])
    private let registry: ProviderRegistry

    init() {
        registry = ProviderRegistry(
            ProviderRegistry.Environment(
                storage: Storage(), replayGrace: .zero, limits: .init(each: 2, keys: 2, logins: 2),
                now: { Timestamp(seconds: 0) },
                log: Log(level: .debug) { [lines] in
                    let line = $0
                    lines.change { $0.append(line) }
                }))
    }

    private func build(_ files: [String: String]) throws -> ProviderRegistry.Built {
        registry.build(try FolderFixture(files).configuration().providers)
    }

    private func page(_ built: ProviderRegistry.Built) throws -> String {
        let provider = try #require(built.web.values.first)
        return try provider.pageAddress(for: Self.request, requestID: nil)
    }

    @Test("a provider with a client signs in through a browser, beside the logins of apps")
    func kinds() throws {
        let built = try build([
            "google.conf": FolderFixture.google + Self.client, "main.conf": FolderFixture.openID,
            "qq.conf": FolderFixture.qq + Self.client, "wechat.conf": FolderFixture.weChat + Self.client,
        ])
        #expect(built.logins.keys.map(\.lowercaseName).sorted() == ["google", "main", "qq", "wechat"])
        let pages = try built.web.mapValues { try $0.pageAddress(for: Self.request, requestID: nil) }
        #expect(pages.keys.map(\.lowercaseName).sorted() == ["google", "qq", "wechat"])
        for (name, start) in [
            ("GOOGLE", "https://accounts.google.com/o/oauth2/v2/auth?"),
            ("QQ", "https://graph.qq.com/oauth2.0/authorize?"),
            ("WECHAT", "https://open.weixin.qq.com/connect/qrconnect?appid=c&"),
        ] {
            #expect(Provider(rawValue: name).flatMap { pages[$0] }?.hasPrefix(start) == true)
        }
    }

    /// The stand-in answers one request.
    @Test("a reload with another secret keeps the metadata, and one with another issuer does not")
    func reload() throws {
        let server = try SingleAnswerServer { address in
            """
            {"issuer":"\(address)","authorization_endpoint":"\(address)/authorize","token_endpoint":"\(address)/token"}
            """
        }
        let file = "KIND=openid\nAUDIENCE=a\nCLIENT_ID=c\n"
        let first = file + "CLIENT_SECRET=Xsecret\nISSUER=\(server.address)\n"
        #expect(try page(build(["main.conf": first])).hasPrefix("\(server.address)/authorize?"))
        let second = first.replacing("Xsecret", with: "Xother")
        #expect(try page(build(["main.conf": second])).hasPrefix("\(server.address)/authorize?"))
        let third = second.replacing(server.address, with: server.address + "/x")
        #expect(throws: Refusal.providerUnavailable(try #require(Provider(rawValue: "MAIN")))) {
            try page(build(["main.conf": third]))
        }
        let log = lines.change { $0 }.joined()
        #expect(log.contains("the metadata of the issuer: ") && !log.contains("127.0.0.1") && !log.contains("Xother"))
    }
}

/// A server that accepts one request without a body and sends a fixed answer.
private final class SingleAnswerServer: Sendable {
    private let listener: Listener
    let address: String

    /// - Parameter body: made with the address of the server.
    init(_ body: (_ address: String) -> String) throws {
        listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        address = "http://127.0.0.1:\(listener.port ?? 0)"
        let body = body(address)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        _ = try Thread.spawn(name: "single-answer-server") { [self] in try? serve(Array((head + body).utf8)) }
    }

    private func serve(_ answer: [UInt8]) throws {
        guard listener.descriptor.waitUntilReadable(milliseconds: 10_000), let connection = try listener.accept()
        else { return }
        var text = ""
        var piece = [UInt8](repeating: 0, count: 16_384)
        while !text.hasSuffix("\r\n\r\n"), connection.waitUntilReadable(milliseconds: 5000),
            case .moved(let count) = connection.receive(into: &piece)
        {
            text += String(decoding: piece[..<count], as: UTF8.self)
        }
        _ = connection.send(answer, from: 0)
    }
}
