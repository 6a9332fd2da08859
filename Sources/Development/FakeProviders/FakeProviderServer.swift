import DevelopmentHTTP
package import JSON
import POSIX
import Sockets

/// The providers on a port of this machine, in this process, for tests. It serves until the process ends.
package final class FakeProviderServer: Sendable {
    package let service: FakeProvidersService
    package let port: UInt16

    /// - Parameter folder: where the keys are kept, those of a provider in `openid-NAME.pem`; nil to generate new ones.
    package init(folder: String? = nil) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        let service = FakeProvidersService(base: "http://127.0.0.1:\(port)", folder: folder)
        self.service = service
        let server = HTTPServer("fake-providers", on: listener, advice: "use 127.0.0.1") { request in
            service.answer(request) ?? .reply(.refusal("404 Not Found", "/openid/NAME, /wechat, /qq"))
        }
        _ = try Thread.spawn(name: "fake-providers") { try? server.run() }
    }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    package func issuer(_ name: String) -> String { url("/openid/\(name)") }

    /// Performs a request that controls a provider, such as `/openid/google/mint`.
    package func control(_ path: String, _ body: JSONObject = [:], method: String = "POST") throws -> JSONObject {
        try service.control(path, body, method: method)
    }
}
