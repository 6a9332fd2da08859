import Foundation
import TestSupport

/// `deploy/run` in a copy of the checkout that has the programs under test as its build.
final class DevelopmentServer: Sendable {
    let folder: TemporaryFolder
    let port: UInt16
    let applePort: UInt16
    /// Where services ask, and monitoring.
    let localPort: UInt16
    private let process: ChildProcess

    /// What the script has printed so far.
    var page: String { process.log }
    var data: String { folder.file("data") }

    /// - Parameter port: of HTTPS, where a setting has to name it.
    init(_ options: [String] = [], port: UInt16? = nil, environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        (self.port, localPort) = (try port ?? FreePort.any(), try FreePort.any())
        // The script takes the next two for mail and for the example of a service.
        applePort = try FreePort.any(of: 3)
        try RunnableCheckout.make(at: folder.file("checkout"))
        process = try ChildProcess(
            [
                folder.file("checkout/deploy/run"), "--data", folder.file("data"), "--port", "\(self.port)",
                "--apple-port", "\(applePort)", "--local-port", "\(localPort)",
            ] + options,
            environment: environment.merging(["PATH": folder.file("checkout/bin") + ":" + Self.path]) { own, _ in own },
            log: folder.file("page"))
        let hasStarted = Eventually.holds(within: 120, every: 0.05) {
            page.contains("Ctrl-C stops it.") || process.exitStatus != nil
        }
        guard hasStarted, process.exitStatus == nil else {
            process.stop()
            throw Spawn.Failure(description: "deploy/run did not start: \(page)")
        }
    }

    static let path = RunnableCheckout.path

    /// For tests that ask it and change none of its settings.
    static let shared = Result { try DevelopmentServer() }

    deinit { process.stop() }

    /// The line of the page that signs in and asks who the user is.
    var signIn: String? { page.firstMatch(of: /Sign in: +(.+)/).map { String($0.output.1) } }

    /// Pastes lines into a shell, in another folder. Each request prints its status on standard error.
    func paste(_ lines: [String]) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["sh", "-c", "cd / && exec sh -s"], environment: ["PATH": Self.path],
            input: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Sends a request with curl, which trusts the certificate authority of the server alone.
    func ask(_ address: String, _ options: String...) throws -> TestResponse { try ask(address, options) }

    func ask(_ address: String, _ options: [String]) throws -> TestResponse {
        TestResponse(
            parsing: try Shell.run(
                ["curl", "-sS", "--noproxy", "*", "--include", "--max-time", "30", "--cacert", data + "/nginx/ca.pem"]
                    + options + [address]))
    }

    var configuration: String { (try? String(contentsOfFile: data + "/gatehouse.conf", encoding: .utf8)) ?? "" }
}
