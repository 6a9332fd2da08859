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

struct Options {
    var url = URL(string: "https://localhost:8443")!
    var appleURL = URL(string: "http://127.0.0.1:8444")!
    /// A file of certificate authorities; nil for those that the system trusts.
    var certificates: String?
    /// The provider of a sign-in in a browser; nil for a login of the fake Apple.
    var web: String?
    var store: String?
    var keep = false
    var help = false

    static let usage = """
        Signs in, shows the user, loses an answer, refreshes and signs out, as an app does with GatehouseClient.

        usage: gatehouse-example [option]...

        Start ./deploy/run in another terminal before.

          --url URL        the server (https://localhost:8443)
          --apple-url URL  the fake Apple, which mints the login (http://127.0.0.1:8444)
          --ca FILE        the certificate authority of the server (.run/nginx/ca.pem, if there is one)
          --web PROVIDER   sign in in a browser, such as google; the address to open is printed
          --store FILE     where the session is kept (nowhere: it ends with the program)
          --keep           do not sign out, so that the next run with the same --store is still signed in
          --help           print this help

        Exit status: 0 done, 1 the server refused a request, 2 wrong usage, 3 failure.
        """

    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h": help = true
            case "--keep": keep = true
            case "--url": url = try Self.url(option, rest.popFirst())
            case "--apple-url": appleURL = try Self.url(option, rest.popFirst())
            case "--ca": certificates = try Self.value(option, rest.popFirst())
            case "--web": web = try Self.value(option, rest.popFirst())
            case "--store": store = try Self.value(option, rest.popFirst())
            default: throw Failure(.usage, "unknown argument \(option); --help lists the options")
            }
        }
        certificates = try Environment.certificates(certificates)
        guard store != nil || !keep else { throw Failure(.usage, "--keep needs --store") }
    }

    private static func value(_ option: String, _ value: String?) throws(Failure) -> String {
        guard let value, !value.isEmpty else { throw Failure(.usage, "\(option) needs a value") }
        return value
    }

    private static func url(_ option: String, _ value: String?) throws(Failure) -> URL {
        guard let url = URL(string: try Self.value(option, value)), url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme)
        else { throw Failure(.usage, "\(option) must be a URL such as https://localhost:8443") }
        if let fault = GatehouseClient.fault(in: url) { throw Failure(.usage, "\(option): \(fault)") }
        return url
    }
}

enum Environment {
    /// A proxy from the environment cannot reach the servers on this machine. `URLSession` on Linux and curl read this
    /// variable.
    static func avoidProxies() {
        let known = ProcessInfo.processInfo.environment["no_proxy"].map { $0 + "," } ?? ""
        setenv("no_proxy", known + "localhost,127.0.0.1,::1", 1)
    }

    private static let proposals = [".run/nginx/ca.pem", ".run/nginx/certificate.pem"]

    /// - Parameter file: nil for the certificate of a development server that was started in the current folder.
    static func certificates(_ file: String?) throws(Failure) -> String? {
        guard let file else { return proposals.first(where: FileManager.default.isReadableFile) }
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw Failure(.usage, "--ca: there is no readable file \(file)")
        }
        return file
    }
}
