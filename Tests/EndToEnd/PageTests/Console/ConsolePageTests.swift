import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// The console's page in Chromium, as a user drives it. Each scenario is a function of `flow_scenarios.py`,
/// `browser_scenarios.py` or `look_scenarios.py`.
@Suite("The console's page in Chromium", .needs(.chromium))
struct ConsolePageTests {
    @Test(
        "Works without a violation of its security policy",
        arguments: [
            "first_steps", "refusals", "claims_editor", "pasted_token", "lost_answer", "race", "sign_out_and_delete",
            "notification_and_export", "faults", "failures", "apple_down", "log_filter", "snippets", "keyboard",
            "narrow_window", "medium_window",
            "colour_schemes", "reload", "hostile_text", "bound", "stolen", "provider_logins", "provider_refusals",
            "provider_links", "codes", "passkeys", "browser_flow", "browser_apple", "browser_attacks",
            "browser_forgeries",
            "browser_looks",
        ])
    func scenario(name: String) throws {
        // On a slow machine, a scenario must not outlast the grace or the limit that it shows.
        let times = ["REFRESH_REUSE_GRACE": "10m", "CODES_PER_ADDRESS": "1/10m"]
        try run(name, against: try DevelopmentServer(environment: times))
    }

    @Test(
        "Codes are sent again, and bind, replace and join, as often as the limits allow",
        arguments: ["codes_again", "codes_bound", "one_tap"])
    func codes(name: String) throws {
        let limits = ["CODES_PER_ADDRESS": "1/2s", "CODES_PER_ADDRESS_AND_NETWORK": "100/1h"]
        try run(name, against: try DevelopmentServer(environment: limits))
    }

    @Test("Without a grace, a replayed token is shown as theft")
    func replay() throws {
        try run("replay", against: try DevelopmentServer(environment: ["REFRESH_REUSE_GRACE": "0s"]))
    }

    @Test("Where proofs need a nonce, and reads need a proof, a bound session sends both")
    func boundStrictly() throws {
        let settings = ["DPOP_NONCE": "required", "DPOP_GUARD": "required"]
        try run("bound_strictly", against: try DevelopmentServer(environment: settings))
    }

    @Test("With --real-apple it explains what cannot be done, and takes a token")
    func realApple() throws {
        let closed = try FreePort.any()
        let server = try DevelopmentServer(
            ["--real-apple", "--bundle-id", "com.example.phone"],
            environment: ["APPLE_JWKS_URL": "http://127.0.0.1:\(closed)/keys"])
        try run("real_apple", against: server)
    }

    /// `GATEHOUSE_SCREENSHOTS` names a folder for screenshots of the scenarios.
    private func run(_ scenario: String, against server: DevelopmentServer) throws {
        let screenshots = ProcessInfo.processInfo.environment["GATEHOUSE_SCREENSHOTS"] ?? ""
        let outcome = try Shell.outcome(
            of: [
                "timeout", "--kill-after=10", "900", "/usr/bin/python3", "-B",
                Executable.root + "/Tests/EndToEnd/Scripts/Console/page.py", scenario,
                "https://localhost:\(server.port)",
                server.folder.file("chromium"),
            ],
            environment: [
                "PATH": DevelopmentServer.path, "HOME": server.folder.path, "TMPDIR": NSTemporaryDirectory(),
                "GATEHOUSE_SCREENSHOTS": screenshots,
            ])
        #expect(outcome.status == 0, "\(scenario): \(outcome.errorOutput)\(outcome.text)")
    }
}
