import Foundation
import GatehouseClient

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
