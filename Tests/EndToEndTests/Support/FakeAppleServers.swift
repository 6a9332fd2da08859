import FakeApple
import JSON
import POSIX
import TestSupport

/// A fake Apple in this process, which can be asked who came and be told to misbehave.
final class FakeAppleServers: Sendable {
    let service: FakeAppleService
    let port: UInt16
    private let path: String

    init(in folder: TemporaryFolder) throws {
        path = folder.file("apple")
        service = try FakeAppleService(
            folder: path, keys: try PublishedKeys(in: path),
            developer: try DeveloperAccount(in: path, clientIDs: [FakeAppleStand.bundleID]))
        let server = service.server(on: try Listener.tcp(host: "127.0.0.1", port: 0))
        port = server.port
        _ = try POSIX.Thread.spawn(name: "fake-apple") { try? server.run() }
    }

    var keysURL: String { url("/auth/keys") }

    /// What makes a server the developer whom this Apple knows, so that it can exchange codes and revoke tokens.
    var developerSettings: [String: String] {
        let developer = service.developer
        return [
            "APPLE_TEAM_ID": developer.teamID, "APPLE_KEY_ID": developer.keyID,
            "APPLE_PRIVATE_KEY_FILE": "\(path)/AuthKey_\(developer.keyID).p8",
            "APPLE_TOKEN_URL": url("/auth/token"), "APPLE_REVOKE_URL": url("/auth/revoke"),
        ]
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// How often its keys were asked for.
    var fetches: Int { service.requests.count { $0.path == "/auth/keys" } }

    /// The body of a login, as an app would post it.
    func login(_ subject: String, _ adjust: (inout MintOrder) -> Void = { _ in }) -> JSONObject {
        var order = MintOrder(audience: FakeAppleStand.bundleID)
        order.subject = subject
        adjust(&order)
        return service.login(order)
    }
}
