import Foundation
import TestSupport

@testable import ServerSupport

/// A checkout in which `./deploy/run` serves on ports of its own. `adapted` puts them in the place of the documented ones.
final class DocumentedCheckout: @unchecked Sendable {
    static let shared = Result { try DocumentedCheckout() }

    private let server: DevelopmentServer
    private let ports: [String: String]
    private var path: String { server.folder.file("checkout") }

    init() throws {
        server = try DevelopmentServer()
        ports = [
            "8443": "\(server.port)", "8444": "\(server.applePort)", "9180": "\(server.localPort)",
            "9443": "\(try FreePort.any())",
        ]
        try FileManager.default.createSymbolicLink(atPath: path + "/.run", withDestinationPath: server.data)
    }

    /// A documented text, with the ports of this checkout.
    func adapted(_ text: String) -> String {
        text.replacing(/\b(8443|8444|9180|9443)\b/) { ports[String($0.output.0)] ?? "" }
    }

    func write(_ text: String, to file: String) throws {
        try text.write(toFile: path + "/" + file, atomically: true, encoding: .utf8)
    }

    /// Passes a script to the standard input of a shell, as a terminal does with pasted text.
    func paste(_ script: String, into shell: [String]) throws -> Shell.Outcome {
        defer { stopOwnNginx() }
        return try Shell.outcome(
            of: ["/usr/bin/env", "-C", path, "timeout", "--kill-after=5", "240"] + shell,
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": path, "LC_ALL": "C.UTF-8"],
            input: Array(script.utf8))
    }

    /// The second nginx of nginx/README.md is still running if a command before its last one has failed.
    private func stopOwnNginx() {
        let file = path + Self.ownNginx
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        kill(process, SIGTERM)
        _ = Eventually.holds { access(file, F_OK) != 0 }
    }

    private static let ownNginx = "/.run/own-nginx/nginx.pid"

    /// A line of shell that waits until that nginx, which got SIGQUIT, has ended. It removes its file then, so one that
    /// is started before that would lose its own.
    static let awaitOwnNginx = "while [ -e \"$PWD\(ownNginx)\" ]; do sleep 0.05; done"
}
