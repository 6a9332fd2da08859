import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// `gatehouse.js` and the example page in browsers. Each scenario is a function of a file beside this one.
@Suite("A web page with gatehouse.js")
struct WebPageTests {
    // The last of each, one after the other: they have the port of another origin's page.
    private static let inChromium = [
        ["every_provider", "reload", "cancelled", "codes", "documented", "look", "types", "anonymous", "temporary"],
        ["guest"],
        ["one_session", "one_refresh", "restored_tabs", "rotation", "late_answer", "ended_elsewhere", "kept_page"],
        ["lost_answer", "offline", "offline_start", "offline_sign_out", "sign_out_without_cookie"],
        ["sign_out_with_expired_token", "sign_out_at_next_start", "sign_in_before_delivery"],
        ["strange_answers", "requests", "known_address"],
        ["foreign_code", "return_to", "other_issuer", "no_token_to_find", "other_pages"],
        [
            "passkey_page", "passkey_suggested", "passkey_account", "passkey_unknown", "passkey_dialogs",
            "passkey_renewed", "passkey_older_browser", "passkey_documented",
        ],
        ["other_origin", "proxied_page", "plain_page", "passkey_beside"],
    ]

    private static let inFirefox = [
        ["every_provider", "reload", "cancelled", "one_session", "one_refresh", "late_answer"],
        ["kept_page", "foreign_code", "no_token_to_find", "other_pages"],
        ["passkey_page", "passkey_account", "passkey_older_browser", "passkey_documented"],
        ["other_origin", "proxied_page", "plain_page", "passkey_beside"],
    ]

    @Test("Signs in and out, and keeps the session, in Chromium", .needs(.chromium), arguments: inChromium)
    func chromium(scenarios: [String]) throws { try run(scenarios, in: "chromium") }

    @Test("Signs in and out, and keeps the session, in Firefox", .needs(.firefox), arguments: inFirefox)
    func firefox(scenarios: [String]) throws { try run(scenarios, in: "firefox") }

    /// One browser runs all of the scenarios. `GATEHOUSE_SCREENSHOTS` names a folder for screenshots.
    private func run(_ scenarios: [String], in browser: String) throws {
        let site = try WebSite.shared.get()
        let folder = try TemporaryFolder()
        let outcome = try Shell.outcome(
            of: [
                "timeout", "--kill-after=10", "900", "/usr/bin/python3", "-B",
                Executable.root + "/Tests/EndToEnd/Scripts/Web/web.py", browser, folder.file("profile"), site.origin,
                "http://127.0.0.1:\(site.server.applePort)/inbox", site.server.data + "/nginx",
                "\(site.otherPorts[browser] ?? 0)",
            ] + scenarios,
            environment: [
                "PATH": DevelopmentServer.path, "HOME": folder.path, "TMPDIR": NSTemporaryDirectory(),
                "GATEHOUSE_SCREENSHOTS": ProcessInfo.processInfo.environment["GATEHOUSE_SCREENSHOTS"] ?? "",
            ])
        #expect(outcome.status == 0, "\(scenarios): \(outcome.errorOutput)\(outcome.text)")
    }
}

/// A running `deploy/run` that pages of another origin may use as well.
private struct WebSite: Sendable {
    static let shared = Result { try WebSite() }

    let server: DevelopmentServer
    /// Of a page of another origin, for each browser: the browsers run at the same time.
    let otherPorts: [String: UInt16]

    var origin: String { "https://localhost:\(server.port)" }

    private init() throws {
        let port = try FreePort.any()
        otherPorts = ["chromium": try FreePort.any(), "firefox": try FreePort.any()]
        let own = "https://localhost:\(port)"
        let others = otherPorts.values.map { "https://localhost:\($0)" }
        // Of a page in development, beside which there is none of the other origin.
        let plain = others.map { $0.replacing("https:", with: "http:") }
        let addresses = [own + "/example/documented/"] + (others + plain).map { $0 + "/" }
        server = try DevelopmentServer(
            port: port,
            environment: [
                "CORS_ORIGINS": (others + plain).joined(separator: ","),
                "REDIRECT_URIS": addresses.joined(separator: ","),
            ])
        try addDocumentedPage()
    }

    private func addDocumentedPage() throws {
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/WebApp.md")
        let html = try #require(try page.blocks(of: "The page", "html").first)
        let script = try #require(try page.blocks(of: "The page", "js").first)
        try add("documented", html, script)
        // The same page with what the section about passkeys adds.
        let parts = try page.blocks(of: "Passkeys", "html")
        try add(
            "documented-passkeys",
            html.replacing(#"<section id="signed-out" hidden>"#, with: #"<section id="signed-out" hidden>"# + parts[0])
                .replacing(#"<section id="signed-in" hidden>"#, with: #"<section id="signed-in" hidden>"# + parts[1]),
            script + (try #require(try page.blocks(of: "Passkeys", "js").first)))
    }

    private func add(_ name: String, _ html: String, _ script: String) throws {
        let folder = server.folder.file("checkout/deploy/web/example/" + name)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try html.write(toFile: folder + "/index.html", atomically: true, encoding: .utf8)
        try script.write(toFile: folder + "/app.js", atomically: true, encoding: .utf8)
    }
}
