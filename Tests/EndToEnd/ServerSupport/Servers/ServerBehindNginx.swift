import Foundation
import POSIX
import TestSupport

/// `gatehouse serve` behind the shipped nginx configuration, over TLS.
final class ServerBehindNginx: TestServer, @unchecked Sendable {
    let backend: ServerProcess
    let nginx: ChildProcess
    let port: UInt16
    let plainPort: UInt16

    var apple: FakeAppleIssuer { backend.apple }
    var folder: TemporaryFolder { backend.folder }
    /// The folder of nginx's configuration.
    var prefix: String { backend.nginxFolder }
    var certificate: String { prefix + "/certificate.pem" }
    var accessLog: String { backend.accessLog }

    /// The process ids of nginx's workers.
    var workers: Set<Substring> {
        let path = "/proc/\(nginx.identifier)/task/\(nginx.identifier)/children"
        return Set((try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? [])
    }

    /// Makes new workers, which do not know of nodes that have failed.
    func renewWorkers() throws {
        let before = workers
        nginx.signal(SIGHUP)
        guard Eventually.holds({ !workers.isEmpty && workers.isDisjoint(with: before) }) else {
            throw Spawn.Failure(description: "nginx keeps its workers: \(nginx.log)")
        }
    }

    /// - Parameters:
    ///   - responder: receives the requests, in place of a new server.
    ///   - values: replace values for a development machine.
    ///   - locations: the operator's own, next to the API.
    ///   - site: the body of another server block at the same address.
    ///   - http: directives outside of server blocks.
    init(
        before responder: ServerProcess? = nil, values: [String: String] = [:], locations: String = "",
        site: String = "", http: String = "", _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        backend = try responder ?? ServerProcess(adjust)
        port = try FreePort.any()
        plainPort = try FreePort.any()
        let places = [
            "LISTEN_HTTPS": "127.0.0.1:\(port)", "LISTEN_HTTPS_6": "", "LISTEN_HTTP": "127.0.0.1:\(plainPort)",
            "LISTEN_HTTP_6": "", "HTTPS_ORIGIN": "https://localhost:\(port)",
        ]
        let server = site.isEmpty ? "" : "server { listen 127.0.0.1:\(port) ssl http2; \(site) }"
        try backend.renderNginx(
            values: places.merging(values) { $1 }, locations: locations,
            sites: ["http.conf": http, "other.conf": server])
        nginx = try ChildProcess(
            ["nginx", "-p", backend.nginxFolder, "-c", "nginx.conf", "-g", "daemon off;"], environment: [:],
            log: backend.folder.file("nginx.out"))
        guard Eventually.holds({ (try? send(.get("/"))) != nil }) else {
            throw Spawn.Failure(description: "nginx does not answer: \(nginx.log)")
        }
    }

    func send(_ request: TestRequest) throws -> TestResponse { try send(request, options: []) }

    func send(_ request: TestRequest, options: [String]) throws -> TestResponse {
        let output = try Shell.run(
            ["curl"] + arguments(of: request) + options + [url(of: request)], input: request.body)
        return TestResponse(parsing: output).checked(against: request, through: .nginx)
    }

    /// Sends a request to another listener of nginx.
    func send(_ request: TestRequest, at origin: String) throws -> TestResponse {
        let output = try Shell.run(["curl"] + arguments(of: request) + [origin + request.path], input: request.body)
        return TestResponse(parsing: output).checked(against: request, through: .nginx)
    }

    /// One curl process sends all requests in parallel.
    func send(_ request: TestRequest, timesAtOnce count: Int) throws -> [TestResponse] {
        let outputs = try TemporaryFolder()
        let files = (0..<count).map { outputs.file("\($0)") }
        let parallel = ["--parallel", "--parallel-immediate", "--parallel-max", "\(count)"]
        let transfers = files.flatMap { ["--output", $0, url(of: request)] }
        try Shell.run(["curl"] + arguments(of: request) + parallel + transfers, input: request.body)
        return files.map { file in
            TestResponse(parsing: Array(FileManager.default.contents(atPath: file) ?? Data()))
                .checked(against: request, through: .nginx)
        }
    }

    private func url(of request: TestRequest) -> String { "https://localhost:\(port)\(request.path)" }

    private func arguments(of request: TestRequest) -> [String] {
        var arguments = [
            "--silent", "--show-error", "--include", "--cacert", certificate, "--path-as-is", "--max-time", "30",
        ]
        // By default, curl waits for 100 Continue before it sends a large body.
        if request.header("Expect") == nil { arguments += ["--header", "Expect:"] }
        // With `--request HEAD`, curl would wait for a body.
        arguments += request.method == "HEAD" ? ["--head"] : ["--request", request.method]
        for header in request.headers { arguments += ["--header", "\(header.name): \(header.value)"] }
        if !request.body.isEmpty { arguments += ["--data-binary", "@-"] }
        // By default, curl sends a content type with a body.
        if !request.body.isEmpty, request.header("Content-Type") == nil { arguments += ["--header", "Content-Type:"] }
        return arguments
    }

    /// Sends a malformed request. The text must contain `Connection: close`.
    func send(raw text: String) throws -> TestResponse {
        let command = ["timeout", "20", "openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)"]
        let response = TestResponse(parsing: try Shell.outcome(of: command, input: Array(text.utf8)).output)
        guard let request = TestRequest(raw: text) else { return response }
        return response.checked(against: request, through: .nginx)
    }

    deinit { nginx.stop() }
}
