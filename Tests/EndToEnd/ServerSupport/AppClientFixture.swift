import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport

/// An app that uses the client library against a real server behind the real nginx. Requests and answers are lost between
/// the library and the network.
///
/// Without a grace, an old refresh token ends the session as soon as its successor has been used: a library that used
/// one by mistake would be signed out.
struct AppClientFixture {
    let server: ServerBehindNginx
    let transport: FaultyTransport
    let clock = AppClock()
    let url: URL

    init(_ server: ServerBehindNginx? = nil) throws {
        self.server = try server ?? SharedServers.strictNginx.get()
        transport = FaultyTransport(self.server)
        url = URL(string: "https://localhost:\(self.server.port)")!
    }

    /// The app, started on this store.
    func client(
        _ store: any SessionStore = MemorySessionStore(), at other: URL? = nil, binding: SessionBinding = .automatic
    ) -> GatehouseClient {
        GatehouseClient(other ?? url, store: store, transport: transport, binding: binding, clock: clock.clientClock)
    }

    /// The app with a user who has signed in.
    func signedIn(_ store: any SessionStore = MemorySessionStore()) async throws -> GatehouseClient {
        let client = client(store)
        try await client.signIn(development: login())
        return client
    }

    /// The access token expires by the app's clock.
    func expireToken() { clock.advance(by: .seconds(3600)) }

    func login(_ email: String = "\(UUID().uuidString.lowercased())@example.com") -> DevelopmentLogin {
        DevelopmentLogin(email: email, devSecret: ServerBehindNginx.devSecret)
    }

    func request(_ method: String = "GET", _ path: String = "/api/users/me") -> URLRequest {
        var request = URLRequest(url: url.appendingPathComponent(path))
        request.httpMethod = method
        return request
    }
}
