import Foundation
import FoundationNetworking
import GatehouseClient

/// An app whose sessions are bound to keys of its device.
struct BoundAppFixture {
    let server = BoundServer()
    let store = FaultyStore()
    let keys = TestDeviceKeys()
    let clock = AppClock()
    static let url = URL(string: "https://api.example.com")!

    /// The app, started on the store and the keys of the device.
    func client(_ binding: SessionBinding? = nil, trustedOrigins: [URL] = []) -> GatehouseClient {
        GatehouseClient(
            Self.url, store: store, trustedOrigins: trustedOrigins, transport: server, binding: binding ?? .keys(keys),
            clock: clock.clientClock)
    }

    let login = DevelopmentLogin(email: "ann@example.com", devSecret: "any")

    /// The app with a user who has signed in.
    func signedIn() async throws -> GatehouseClient {
        let client = client()
        try await client.signIn(development: login)
        return client
    }

    /// The access token expires by the app's clock.
    func expireToken() { clock.advance(by: .seconds(3600)) }

    func request(_ path: String = "/notes?page=2", _ method: String = "GET") -> URLRequest {
        var request = URLRequest(url: URL(string: path, relativeTo: Self.url)!)
        request.httpMethod = method
        return request
    }

    /// The stored value as text.
    var stored: String { String(decoding: store.contents ?? Data(), as: UTF8.self) }
}
