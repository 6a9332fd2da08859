import TestSupport

/// Servers with tokens of services, which tests share.
enum ServiceServers {
    static let handler = Result { try InProcessServer(configure) }

    static let nginx = Result { try LocalServer() }

    static func configure(_ variables: inout [String: String]) {
        variables["SERVICE_TOKENS"] = ServiceFixture.setting
        variables["PHONE_COUNTRIES"] = "CN"
    }

    /// Requests of services in the handler, or at nginx's address for this machine.
    static func standard(_ environment: TestEnvironment) throws -> any TestServer {
        if environment == .nginx { return try nginx.get() }
        return try handler.get()
    }
}

/// A server behind nginx, which gets requests of services at the address for this machine and all others as clients do.
final class LocalServer: TestServer {
    let server: ServerBehindNginx
    let port: UInt16

    var apple: FakeAppleIssuer { server.apple }
    var origin: String { "http://127.0.0.1:\(port)" }

    init(
        values: [String: String] = [:], locations: String = "", settings: [String: String] = [:]
    ) throws {
        let port = try FreePort.any()
        self.port = port
        server = try ServerBehindNginx(
            values: values.merging(["LISTEN_LOCAL": "127.0.0.1:\(port)"]) { $1 }, locations: locations
        ) { variables in
            ServiceServers.configure(&variables)
            variables.merge(settings) { $1 }
        }
    }

    func send(_ request: TestRequest) throws -> TestResponse {
        request.path.hasPrefix("/api/") ? try server.send(request) : try server.send(request, at: origin)
    }
}
