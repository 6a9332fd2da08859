import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// `URLSession` itself, on this machine.
@Suite("App: URLSession")
struct AppClientTransportTests {
    private let transport = URLSessionTransport()

    private func request(_ server: UpstreamServer, _ path: String, _ method: String = "GET") -> URLRequest {
        var request = URLRequest(url: URL(string: "http://127.0.0.1:\(server.port)\(path)")!)
        request.httpMethod = method
        request.setValue("Bearer of-the-user", forHTTPHeaderField: "Authorization")
        return request
    }

    @Test("A redirect of a GET within the origin is followed, and the token goes with it")
    func sameOrigin() async throws {
        let server = try UpstreamServer { request in
            request.target == "/old"
                ? UpstreamResponse(status: "301 Moved", headers: [("Location", "/new")])
                : UpstreamResponse(body: Array("found".utf8))
        }
        let (data, response) = try await transport.send(request(server, "/old"))
        #expect(response.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self) == "found")
        #expect(server.requests(at: "/new").first?.values(of: "Authorization") == ["Bearer of-the-user"])
    }

    @Test("Another redirect is the answer, and reaches no server", arguments: ["to another origin", "of a POST"])
    func otherRedirect(kind: String) async throws {
        let other = try UpstreamServer.echoing()
        let isPost = kind == "of a POST"
        let server = try UpstreamServer { _ in
            let target = isPost ? "/new" : "http://127.0.0.1:\(other.port)/"
            return UpstreamResponse(status: "307 Temporary Redirect", headers: [("Location", target)])
        }
        let answer = try await transport.send(request(server, "/old", isPost ? "POST" : "GET"))
        #expect(answer.1.statusCode == 307)
        #expect(other.requests(at: "/").isEmpty)
        #expect(server.requests(at: "/new").isEmpty)
    }

    @Test("No cookie is kept, and no answer is cached")
    func nothingKept() async throws {
        let server = try UpstreamServer { _ in
            UpstreamResponse(headers: [("Set-Cookie", "a=b; Path=/"), ("Cache-Control", "max-age=3600")])
        }
        for _ in 0..<2 { _ = try await transport.send(request(server, "/")) }
        let requests = server.requests(at: "/")
        #expect(requests.count == 2)
        #expect(requests.allSatisfy { $0.values(of: "Cookie").isEmpty })
    }

    @Test("A server or a name that does not exist is an error with a code, and its text says so")
    func noServer() async throws {
        let port = try FreePort.any()
        for (url, code, text) in [
            ("http://127.0.0.1:\(port)", URLError.Code.cannotConnectToHost, "connection to the server was refused"),
            ("https://missing.invalid", .cannotFindHost, "name of the server is not resolved"),
        ] {
            let client = GatehouseClient(try #require(URL(string: url)), store: MemorySessionStore())
            await #expect(throws: GatehouseError.noAnswer(code)) { _ = try await client.challenge() }
            #expect("\(GatehouseError.noAnswer(code))".contains(text))
        }
    }

    @Test("A certificate that the device does not trust is an error with a code, and its text says so")
    func untrustedCertificate() async throws {
        let nginx = try #require(try SharedServers.standard(.nginx) as? ServerBehindNginx)
        // An address: for a name, a later libcurl reports the address on which nothing listens.
        let client = GatehouseClient(URL(string: "https://127.0.0.1:\(nginx.port)")!, store: MemorySessionStore())
        let error = GatehouseError.noAnswer(.serverCertificateUntrusted)
        await #expect(throws: error) { _ = try await client.challenge() }
        #expect("\(error)".contains("certificate is not trusted") && !error.isTemporary)
    }

    @Test("A port without TLS is another error than a certificate")
    func noTLS() async throws {
        let server = try UpstreamServer.echoing()
        let url = URL(string: "https://127.0.0.1:\(server.port)")!
        await #expect { _ = try await transport.send(URLRequest(url: url)) } throws: {
            ![.unknown, .serverCertificateUntrusted].contains(($0 as? URLError)?.code ?? .unknown)
        }
    }

    @Test(
        "What a retry cannot mend is not sent again, and what it can is",
        arguments: [
            (URLError.Code.serverCertificateUntrusted, 1), (.serverCertificateHasBadDate, 1),
            (.serverCertificateNotYetValid, 1), (.serverCertificateHasUnknownRoot, 1),
            (.clientCertificateRequired, 1), (.appTransportSecurityRequiresSecureConnection, 1),
            (.unsupportedURL, 1), (.cannotFindHost, 3), (.cannotConnectToHost, 3), (.notConnectedToInternet, 3),
            (.timedOut, 3), (.networkConnectionLost, 3), (.secureConnectionFailed, 3),
        ])
    func retries(code: URLError.Code, attempts: Int) async throws {
        let transport = FailingTransport(code: code)
        let client = GatehouseClient(
            URL(string: "https://localhost")!, store: MemorySessionStore(), transport: transport,
            clock: AppClock().clientClock)
        await #expect(throws: GatehouseError.noAnswer(code)) { _ = try await client.challenge() }
        #expect(await transport.attempts == attempts)
        #expect(GatehouseError.noAnswer(code).isTemporary == (attempts > 1))
        #expect("\(GatehouseError.noAnswer(code))" != "\(GatehouseError.noAnswer(.unknown))")
    }

    @Test("A cancelled request ends at once, also where the transport does not notice")
    func cancelled() async throws {
        let gate = Gate()
        let client = GatehouseClient(
            URL(string: "https://localhost")!, store: MemorySessionStore(),
            transport: SlowTransport(gate: gate))
        let task = Task { _ = try await client.challenge() }
        await gate.arrival()
        task.cancel()
        await #expect(throws: GatehouseError.cancelled) { try await task.value }
        await gate.open()
    }
}

/// A transport that does not notice that its task is cancelled.
private struct SlowTransport: HTTPTransport {
    let gate: Gate

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        await gate.pass()
        throw URLError(.timedOut)
    }
}

private actor FailingTransport: HTTPTransport {
    let code: URLError.Code
    private(set) var attempts = 0

    init(code: URLError.Code) { self.code = code }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        attempts += 1
        throw URLError(code)
    }
}
