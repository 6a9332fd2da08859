import Foundation
import FoundationNetworking
import GatehouseClient
import Synchronization
import TestSupport

/// An app that uses the client library against a real server behind the real nginx. What has to be lost is lost between
/// the library and the network.
///
/// Without a grace, an old refresh token ends the session as soon as its successor has been used: a library that used one
/// by mistake would be signed out.
struct AppClientFixture {
    let installation: NginxInstallation
    let transport: FaultyTransport
    let clock = AppClock()
    let url: URL

    private static let withoutGrace = Result { try NginxInstallation { $0["REFRESH_REUSE_GRACE"] = "0s" } }

    init(_ installation: NginxInstallation? = nil) throws {
        self.installation = try installation ?? Self.withoutGrace.get()
        transport = FaultyTransport(self.installation)
        url = URL(string: "https://localhost:\(self.installation.port)")!
    }

    /// The app, started on this store.
    func client(_ store: any SessionStore = MemorySessionStore()) -> GatehouseClient {
        GatehouseClient(url, store: store, transport: transport, clock: clock.clientClock)
    }

    /// The app with a user who has signed in.
    func signedIn(_ store: any SessionStore = MemorySessionStore()) async throws -> GatehouseClient {
        let client = client(store)
        try await client.signIn(development: login())
        return client
    }

    func login(_ email: String = "\(UUID().uuidString.lowercased())@example.com") -> DevelopmentLogin {
        DevelopmentLogin(email: email, devSecret: NginxInstallation.devSecret)
    }

    func request(_ method: String = "GET", _ path: String = "/api/users/me") -> URLRequest {
        var request = URLRequest(url: url.appendingPathComponent(path))
        request.httpMethod = method
        return request
    }
}

/// The clocks of the device. Time is moved by hand, and pauses between attempts are short.
final class AppClock: Sendable {
    private let state = Mutex((offset: Duration.zero, skew: TimeInterval(0), pauses: [Duration]()))

    /// Moves both clocks, as when the device was asleep.
    func advance(by duration: Duration) {
        state.withLock {
            $0.offset += duration
            $0.skew += duration / .seconds(1)
        }
    }

    /// Sets the device's clock wrong.
    func setWrong(by seconds: TimeInterval) { state.withLock { $0.skew += seconds } }

    /// How long the client has paused between attempts.
    var pauses: [Duration] { state.withLock { $0.pauses } }

    var clientClock: ClientClock {
        var clock = ClientClock()
        clock.now = { self.state.withLock { ContinuousClock.now.advanced(by: $0.offset) } }
        clock.date = { self.state.withLock { Date().addingTimeInterval($0.skew) } }
        clock.sleep = { duration in
            // Time limits are real, and longer than anything takes on a slow machine.
            if duration == .seconds(15) { return try await Task.sleep(for: .seconds(300)) }
            self.state.withLock { $0.pauses.append(duration) }
            try await Task.sleep(for: .milliseconds(10))
        }
        return clock
    }
}
