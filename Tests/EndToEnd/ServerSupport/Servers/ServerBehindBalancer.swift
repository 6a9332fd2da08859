import Foundation
import JSON
import TestSupport
import Testing

/// `gatehouse serve` behind nginx, which trusts a balancer. nginx runs in a network namespace that has all addresses on its
/// loopback interface, so requests can come from a balancer, a client or an attacker.
final class ServerBehindBalancer: Sendable {
    static let balancer = "10.0.0.9"
    static let secondProxy = "10.0.1.7"
    static let attacker = "203.0.113.66"
    static let balancer6 = "fd00::9"
    static let attacker6 = "2001:db8::66"
    static let trusted = "10.0.0.9,10.0.1.0/24,fd00::/64"

    /// Nil if a network namespace can be created.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can make a network namespace" }
        let made = try? Shell.run(["unshare", "--net", "ip", "address", "add", "10.0.0.9/32", "dev", "lo"])
        return made == nil ? "network namespaces are not allowed here, or there is no ip command" : nil
    }()

    static var reason: Comment { "not tried: \(obstacle ?? "")" }

    let backend: ServerProcess
    private let nginx: ChildProcess

    var accessLog: String { backend.accessLog }

    /// - Parameters:
    ///   - values: replace values for a development machine.
    ///   - locations: the operator's own, next to the API.
    init(_ values: [String: String], locations: String = "") throws {
        backend = try ServerProcess()
        let places = [
            "LISTEN_HTTPS": "443", "LISTEN_HTTPS_6": "[::]:443", "LISTEN_HTTP": "80", "LISTEN_HTTP_6": "[::]:80",
            "SERVER_NAME": "api.example.com,login.example.com", "HTTPS_ORIGIN": "https://api.example.com",
        ]
        try backend.renderNginx(
            values: places.merging(values) { $1 }, locations: locations, sites: ["service.conf": Self.service])
        nginx = try ChildProcess(
            ["unshare", "--net", "sh", "-c", Self.network, "sh", backend.nginxFolder], environment: [:],
            log: backend.folder.file("nginx.out"))
        guard Eventually.holds({ (try? ask("/", from: Self.balancer, at: 3000))?.status == 200 }) else {
            throw Spawn.Failure(description: "nginx does not answer: \(nginx.log)")
        }
    }

    deinit { nginx.stop() }

    private static let network = """
        ip link set lo up
        for address in 10.0.0.1 \(balancer) \(secondProxy) \(attacker); do ip address add $address/32 dev lo; done
        for address in fd00::1 \(balancer6) \(attacker6); do ip -6 address add $address/128 dev lo nodad; done
        exec nginx -p "$1" -c nginx.conf -g 'daemon off;'
        """

    /// A service behind the guard that returns the headers it gets.
    private static let service = """
        server {
            listen 3000;
            return 200 "$http_x_forwarded_for $http_x_forwarded_proto $http_host $http_x_user_id";
        }
        """

    /// - Parameters:
    ///   - port: 443 uses TLS.
    ///   - proxy: a line of the PROXY protocol.
    ///   - host: nil for an HTTP/1.0 request without Host.
    func ask(
        _ path: String, from source: String, at port: Int = 80, _ headers: [String: String] = [:],
        method: String = "GET", body: String = "", host: String? = "api.example.com", proxy: String = ""
    ) throws -> TestResponse {
        var lines = ["\(method) \(path) HTTP/1.\(host == nil ? 0 : 1)"]
        if let host { lines.append("Host: \(host)") }
        lines += headers.map { "\($0): \($1)" } + ["Connection: close"]
        if !body.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
        let outcome = try Shell.outcome(
            of: [
                "nsenter", "--net=/proc/\(nginx.identifier)/ns/net", "python3", "-I", "-S",
                Executable.root + "/Tests/EndToEnd/Scripts/ask-from.py", source,
                source.contains(":") ? "fd00::1" : "10.0.0.1", "\(port)", proxy, port == 443 ? "tls" : "plain",
            ], input: Array(text.utf8))
        let type = body.isEmpty ? [] : [(name: "Content-Type", value: "application/json")]
        let request = TestRequest(
            method: method, path: path, headers: headers.map { ($0, $1) } + type, body: Array(body.utf8))
        return TestResponse(parsing: outcome.output).checked(against: request, through: .nginx)
    }

    func devLogin(from source: String, at port: Int = 80, _ headers: [String: String], proxy: String = "") throws
        -> TestResponse
    {
        let body: JSONObject = ["email": "proxied@example.com", "devSecret": .string(ServerProcess.devSecret)]
        return try ask(
            "/api/auth/dev-login", from: source, at: port, headers, method: "POST",
            body: String(decoding: body.bytes, as: UTF8.self), proxy: proxy)
    }
}
