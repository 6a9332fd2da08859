import JSON
import StandIn
import TestSupport

/// A fake Apple in this process. It records requests and can inject faults.
final class FakeAppleServer: Sendable {
    private let server: StandInServer
    private let path: String

    init(in folder: TemporaryFolder) throws {
        path = folder.file("apple")
        try SharedRSAKeys.write(intoFolder: path)
        server = try StandInServer(folder: path, clientIDs: [FakeAppleIssuer.bundleID])
    }

    var service: Apple { server.service.apple }

    var port: UInt16 { server.port }

    var keysURL: String { url("/auth/keys") }

    /// The settings with developer credentials that this Apple accepts.
    var developerSettings: [String: String] {
        let developer = service.developer
        return [
            "APPLE_TEAM_ID": developer.teamID, "APPLE_KEY_ID": developer.keyID,
            "APPLE_PRIVATE_KEY_FILE": "\(path)/AuthKey_\(developer.keyID).p8",
            "APPLE_TOKEN_URL": url("/auth/token"), "APPLE_REVOKE_URL": url("/auth/revoke"),
            "APPLE_MIGRATION_URL": url("/auth/usermigrationinfo"),
        ]
    }

    /// The same of the team to which the app can be transferred.
    var otherTeamSettings: [String: String] {
        developerSettings.merging([
            "APPLE_TEAM_ID": DeveloperAccount.otherTeamID, "APPLE_KEY_ID": DeveloperAccount.otherKeyID,
            "APPLE_PRIVATE_KEY_FILE": "\(path)/AuthKey_\(DeveloperAccount.otherKeyID).p8",
        ]) { $1 }
    }

    private func url(_ path: String) -> String { server.url(path) }

    /// A website of the developer.
    func register(servicesID: String, redirectURIs: [String]) {
        service.developer.services.register(servicesID, redirectURIs: redirectURIs)
    }

    /// The number of requests for the key set.
    var fetches: Int { service.requests.count { $0.path == "/auth/keys" } }

    /// The request body of a login as an app sends it.
    func login(_ subject: String, _ adjust: (inout MintOrder) -> Void = { _ in }) -> JSONObject {
        var order = MintOrder(audience: FakeAppleIssuer.bundleID)
        order.subject = subject
        adjust(&order)
        return service.login(order)
    }
}
