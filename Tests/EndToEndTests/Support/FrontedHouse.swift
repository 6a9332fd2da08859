import Foundation
import POSIX
import TestSupport

/// `gatehouse serve` behind the nginx that we ship, asked over TLS.
final class FrontedHouse: House, @unchecked Sendable {
    let served: ServedHouse
    let nginx: ChildProcess
    let port: UInt16
    let plainPort: UInt16

    var apple: FakeAppleStand { served.apple }
    var folder: TemporaryFolder { served.folder }
    /// Where nginx has its configuration.
    var prefix: String { folder.file("nginx") }
    var certificate: String { folder.file("nginx/certificate.pem") }
    var accessLog: String {
        (try? String(contentsOfFile: folder.file("nginx/logs/gatehouse.access.log"), encoding: .utf8)) ?? ""
    }

    /// - Parameters:
    ///   - values: in place of those of a laptop.
    ///   - locations: an operator's own, beside the API.
    ///   - site: the body of another server at the same address.
    init(
        values: [String: String] = [:], locations: String = "", site: String = "",
        _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        served = try ServedHouse(adjust)
        let folder = served.folder
        port = try FreePort.any()
        plainPort = try FreePort.any()
        let places = [
            "RESPONDER": "unix:\(served.socket)", "LISTEN_HTTPS": "127.0.0.1:\(port)", "LISTEN_HTTPS_6": "",
            "LISTEN_HTTP": "127.0.0.1:\(plainPort)", "LISTEN_HTTP_6": "",
            "HTTPS_ORIGIN": "https://localhost:\(port)",
        ]
        let all = places.merging(values) { _, new in new }.map { "\($0)=\($1)" }
        let lib = Executable.root + "/deploy/lib/"
        let prefix = folder.file("nginx")
        try Shell.run([lib + "render-nginx", prefix, Executable.root + "/nginx/local.values"] + all)
        try Shell.run([lib + "certificate", prefix])
        try FileManager.default.createDirectory(
            atPath: prefix + "/gatehouse.d", withIntermediateDirectories: true)
        try locations.write(toFile: prefix + "/gatehouse.d/test.conf", atomically: true, encoding: .utf8)
        if !site.isEmpty {
            try "server { listen 127.0.0.1:\(port) ssl http2; \(site) }"
                .write(toFile: prefix + "/sites-enabled/other.conf", atomically: true, encoding: .utf8)
        }
        nginx = try ChildProcess(
            ["nginx", "-p", prefix, "-c", "nginx.conf", "-g", "daemon off;"], environment: [:],
            log: folder.file("nginx.out"))
        let answers = Eventually.holds { (try? send(.get("/"))) != nil }
        guard answers else { throw Spawn.Failure(description: "nginx does not answer: \(nginx.log)") }
    }

    func send(_ call: Call) throws -> Answer { try send(call, options: []) }

    func send(_ call: Call, options: [String]) throws -> Answer {
        let output = try Shell.run(["curl"] + arguments(of: call) + options + [url(of: call)], input: call.body)
        return Answer(parsing: output)
    }

    /// By one curl, which has all of them under way at once.
    func send(_ call: Call, timesAtOnce count: Int) throws -> [Answer] {
        let outputs = try TemporaryFolder()
        let files = (0..<count).map { outputs.file("\($0)") }
        let parallel = ["--parallel", "--parallel-immediate", "--parallel-max", "\(count)"]
        let transfers = files.flatMap { ["--output", $0, url(of: call)] }
        try Shell.run(["curl"] + arguments(of: call) + parallel + transfers, input: call.body)
        return files.map { Answer(parsing: Array(FileManager.default.contents(atPath: $0) ?? Data())) }
    }

    private func url(of call: Call) -> String { "https://localhost:\(port)\(call.path)" }

    private func arguments(of call: Call) -> [String] {
        var arguments = [
            "--silent", "--show-error", "--include", "--cacert", certificate, "--path-as-is", "--max-time", "30",
        ]
        // By itself, curl waits for a 100 with a long body.
        if call.header("Expect") == nil { arguments += ["--header", "Expect:"] }
        // `--request HEAD` would have curl wait for a body.
        arguments += call.method == "HEAD" ? ["--head"] : ["--request", call.method]
        for header in call.headers { arguments += ["--header", "\(header.name): \(header.value)"] }
        if !call.body.isEmpty { arguments += ["--data-binary", "@-"] }
        // curl sends a type of its own with a body unless told not to.
        if !call.body.isEmpty, call.header("Content-Type") == nil { arguments += ["--header", "Content-Type:"] }
        return arguments
    }

    /// Sends what no client would send, and that `Connection: close` is to be part of.
    func send(raw text: String) throws -> Answer {
        let command = ["timeout", "20", "openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)"]
        return Answer(parsing: try Shell.outcome(of: command, input: Array(text.utf8)).output)
    }

    deinit { nginx.stop() }
}
