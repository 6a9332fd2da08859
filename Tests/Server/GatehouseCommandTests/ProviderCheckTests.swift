import Foundation
import Gatehouse
import GatehouseStore
import IdentityProviders
import JSON
import StandIn
import TestSupport
import Testing

@testable import GatehouseCommand
@testable import GatehouseServer

/// `gatehouse check` asks the configured providers. Each test has stand-ins of its own, because it sets their faults.
@Suite("gatehouse check of providers")
struct ProviderCheckTests {
    private static let id = (weChat: "wx1234567890abcdef", qq: "101234567")
    private static let secret = (
        weChat: "0123456789abcdef0123456789abcdef", qq: "q0123456789abcdef0123456789abcdef"
    )

    private let server: StandInServer
    private let tool: Tool

    init() throws {
        (server, tool) = (try StandInServer(), try Tool())
        _ = try SQLiteFile(path: tool.folder.file("gatehouse.db")).migrate()
        try FileManager.default.createDirectory(atPath: tool.folder.file("p"), withIntermediateDirectories: false)
        let issuer = server.issuer("main")
        try write("main", "KIND=openid\nISSUER=\(issuer)\nAUDIENCE=a\n")
        try write("google", "KIND=google\nAUDIENCE=a\nJWKS_URL=\(server.url("/openid/google/keys"))\n")
        let (weChat, qq) = (server.url("/wechat"), server.url("/qq"))
        try write(
            "wechat", "KIND=wechat\nAPP_ID=\(Self.id.weChat)\nAPP_SECRET=\(Self.secret.weChat)\nAPI_URL=\(weChat)\n")
        try write("qq", "KIND=qq\nAPP_ID=\(Self.id.qq)\nAPP_KEY=\(Self.secret.qq)\nAPI_URL=\(qq)\n")
    }

    private func write(_ name: String, _ text: String) throws { _ = try tool.file("p/\(name).conf", text) }

    /// The findings about providers, by name.
    ///
    /// - Parameter late: a provider that does not answer in time.
    private func check(_ words: String..., late: String? = nil) throws -> [String: CheckLine] {
        Dictionary(try lines(words, late: late).map { (String($0.subject.dropFirst(9)), $0) }) { first, _ in first }
    }

    /// On a busy machine the stand-in may answer too late for the command.
    private func lines(_ words: [String] = [], late: String? = nil) throws -> [CheckLine] {
        var found: [CheckLine] = []
        for _ in 0..<5 {
            found = try tool.checkLines(
                about: ["provider "], ["PROVIDERS_DIR": tool.folder.file("p")], words,
                hiding: [Self.secret.weChat, Self.secret.qq])
            guard found.contains(where: { $0.message.contains("in time") && $0.subject != "provider \(late ?? "")" })
            else { break }
        }
        return found
    }

    @Test("asks also about the client of browsers")
    func webClients() throws {
        try write(
            "wechat",
            """
            KIND=wechat
            APP_ID=\(Self.id.weChat)
            APP_SECRET=\(Self.secret.weChat)
            CLIENT_ID=\(Self.id.weChat)
            CLIENT_SECRET=another
            API_URL=\(server.url("/wechat"))

            """)
        let found = try lines().filter { $0.subject == "provider wechat" }
        #expect(found.map(\.state) == ["ok", "fault"], "\(found)")
        #expect(found.last?.message.hasPrefix("it refuses CLIENT_ID and CLIENT_SECRET") == true)
        #expect(found.last?.advice?.hasPrefix("compare CLIENT_ID and CLIENT_SECRET in ") == true)
    }

    @Test("finds no fault in providers that answer, and prints the numbers of usable keys")
    func sound() throws {
        let lines = try check()
        #expect(lines.count == 4 && lines.values.allSatisfy { $0.state == "ok" }, "\(lines)")
        #expect(
            lines["main"]?.message
                == "2 usable keys for RS256, ES256, named by the metadata of \(server.issuer("main"))")
        #expect(lines["google"]?.message == "2 usable keys for RS256")
        #expect(lines["wechat"]?.message == "it accepts APP_ID and APP_SECRET")
        #expect(lines["qq"]?.message == "it accepts APP_ID and APP_KEY")
    }

    @Test("asks none of them with --offline")
    func offline() throws {
        let lines = try check("--offline")
        #expect(lines.count == 4 && lines.values.allSatisfy { $0.message == "not checked: --offline" }, "\(lines)")
        #expect(try server.control("/openid/main/requests", method: "GET")["discovery"] == 0)
    }

    @Test(
        "names the fault of an OpenID provider, and what to do about it",
        arguments: [
            (["discovery": "wrongIssuer"], "https://wrong.example", "correct ISSUER in "),
            (["discovery": "status", "status": 404], "the status 404", "correct ISSUER in "),
            (["keys": "empty"], "without a usable key", "ALGORITHMS (RS256, ES256) or JWKS_URL in "),
            (["keys": "html"], "without a usable key", "JWKS_URL in "),
            (["keys": "close"], "does not send a valid answer", "curl -v "),
        ] as [(JSONObject, String, String)])
    func openIDFaults(faults: JSONObject, message: String, advice: String) throws {
        _ = try server.control("/openid/main/keys/faults", faults)
        let line = try #require(try check()["main"])
        #expect(line.state == "fault" && line.message.contains(message), "\(line)")
        #expect(line.advice?.contains(advice) == true, "\(line)")
    }

    @Test("a provider that hangs is late, and the others are still asked")
    func hanging() throws {
        _ = try server.control("/openid/google/keys/faults", ["keys": "hang"])
        let lines = try check(late: "google")
        #expect(lines["google"]?.state == "fault" && lines["google"]?.message.contains("in time") == true, "\(lines)")
        #expect(["main", "wechat", "qq"].allSatisfy { lines[$0]?.state == "ok" }, "\(lines)")
        _ = try server.control("/openid/google/keys/faults", method: "DELETE")
    }

    @Test("a wrong secret is a fault, and an answer that says nothing about it a note")
    func credentials() throws {
        _ = try server.control("/wechat/app", ["appSecret": "another"])
        _ = try server.control("/qq/app", ["appKey": "another"])
        var lines = try check()
        for name in ["wechat", "qq"] {
            let line = try #require(lines[name])
            #expect(line.state == "fault" && line.message.contains("it refuses APP_ID"), "\(line)")
            #expect(line.advice?.contains("/\(name).conf") == true)
        }
        _ = try server.control("/wechat/faults", ["errcode": -1])
        _ = try server.control("/qq/faults", ["mode": "close"])
        lines = try check()
        let (weChat, qq) = (try #require(lines["wechat"]), try #require(lines["qq"]))
        #expect(weChat.state == "note" && weChat.message.hasSuffix("error -1"), "\(weChat)")
        #expect(qq.state == "fault" && qq.message.hasPrefix("it does not answer"), "\(qq)")
    }
}

@Suite("The clock of a provider")
struct ProviderClockTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    @Test(
        "differs if it is more than a minute off, in either direction",
        arguments: [(-61, true), (-60, false), (0, false), (60, false), (61, true)] as [(Int64, Bool)])
    func difference(seconds: Int64, isFault: Bool) throws {
        let app = try #require(Provider(lowercaseName: "main"))
        let provider = ConfiguredProvider(
            name: app, details: OpenIDKind(.openID(issuers: [], audiences: []), .keySet(url: "http://127.0.0.1:1/")))
        let check = ConfiguredProviderCheck(provider: provider, file: "main.conf", isOffline: false)
        let finding = check.evaluate(clock: Self.now + .seconds(seconds), now: Self.now)
        #expect((finding?.grade == .fault) == isFault && check.evaluate(clock: nil, now: Self.now) == nil)
    }
}
