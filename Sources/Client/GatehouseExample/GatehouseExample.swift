import Foundation
import GatehouseClient

/// A program that uses ``GatehouseClient`` as an app does, against `deploy/run`, and prints what happens.
@main
struct GatehouseExample {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            guard !options.help else { return print(Options.usage) }
            Environment.avoidProxies()
            try await Steps(options).run()
        } catch {
            fail(error)
        }
    }

    private static func fail(_ error: any Error) -> Never {
        let failure = error as? Failure ?? Failure(.failed, "\(error)")
        // Flushed first, so that earlier output appears above the error.
        fflush(nil)
        FileHandle.standardError.write(Data("gatehouse-example: \(failure.message)\n".utf8))
        exit(failure.status.rawValue)
    }
}

/// An error that ends the program.
struct Failure: Error {
    enum Status: Int32 {
        case refused = 1
        case usage = 2
        case failed = 3
    }

    let status: Status
    let message: String

    init(_ status: Status, _ message: String) { (self.status, self.message) = (status, message) }
}

extension Failure {
    /// - Parameter server: the server that was asked.
    init(_ error: GatehouseError, from server: URL) {
        switch error {
        case .refused(let problem) where problem.status < 500: self.init(.refused, problem.description)
        case .noAnswer(let code): self.init(code, from: server)
        case .storeUnavailable(.failed(let reason)):
            self.init(.failed, "the session cannot be read or saved (\(reason)): choose another --store")
        default: self.init(.failed, error.description)
        }
    }

    init(_ code: URLError.Code, from server: URL) {
        let untrusted: [URLError.Code] = [
            .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid,
        ]
        let advice =
            untrusted.contains(code)
            ? "has no trusted certificate: give --ca FILE, which is .run/nginx/ca.pem beside ./deploy/run"
            : "does not answer: start ./deploy/run in another terminal"
        self.init(.failed, "\(server.absoluteString) \(advice) (URLError \(code.rawValue))")
    }
}
