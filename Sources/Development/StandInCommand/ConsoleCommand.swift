import CommandLineTool
import Console
import DevelopmentHTTP
import JSON
import POSIX
import Sockets

struct ConsoleCommand: Command {
    let words = ["console"]
    let summary = "Serve the page of deploy/run that shows requests, answers and logs."
    let discussion = """
        At a Unix socket, behind nginx:

        /console/                the files of --page
        /console/settings        what the page has to know of the server
        /console/providers       the providers of `gatehouse providers list`, and where the fake Apple mints their logins
        /console/log/CURSOR      lines of the logs; `end` is the first cursor
        /console/verify          runs `gatehouse apple verify` with the body of a login
        /console/verify-proof    runs `gatehouse dpop verify` with {"proof", "method", "url", "accessToken", "jkt"}
        /console/faults          {"fault": "lost|delay|unavailable", "path": "/api/auth/refresh", "seconds": 3,
                                 "times": 1}; GET lists the faults, DELETE removes them
        /console/faulty/api/…    the API with these faults
        /console/apple/…         what the page asks of the fake Apple
        /console/hop             {"method": "GET", "url", "headers": {…}, "body"} sends one request, as a browser does, to the
                                 API or to a page of the fake Apple, and answers with the status, the headers, the body
                                 and the cookies. No redirect is followed, and no other host is asked

        deploy/run starts it, with Gatehouse's settings in its environment.
        """
    let options =
        [
            Option(name: "--socket", value: "PATH", help: "the socket to listen at", isRequired: true),
            Option(name: "--api", value: "PATH", help: "the socket at which nginx serves the API", isRequired: true),
            Option(name: "--origin", value: "URL", help: "where clients reach nginx", isRequired: true),
            Option(
                name: "--web-origin", value: "URL",
                help: "the origin of the callbacks of sign-ins through a browser (that of --origin)"),
            Option(
                name: "--pages-origin", value: "URL",
                help: "where browsers reach the pages of the fake Apple (http://127.0.0.1 and its port)"),
            Option(name: "--redirect-uri", value: "URL", help: "one of REDIRECT_URIS; may be repeated"),
            Option(name: "--data", value: "DIR", help: "the data folder of deploy/run", isRequired: true),
            Option(name: "--page", value: "DIR", help: "the folder of the page's files", isRequired: true),
            Option(name: "--gatehouse", value: "PROGRAM", help: "the program gatehouse", isRequired: true),
            Option(name: "--keys", value: "URL", help: "Apple's key set", isRequired: true),
            Option(name: "--bundle-id", value: "ID", help: "a bundle id of the app; may be repeated"),
            Option(name: "--apple-port", value: "PORT", help: "the port of the fake Apple, if there is one"),
            Option(name: "--proxy", help: "the user's programs reach other machines through a proxy"),
        ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let settings = try settings(arguments)
        do {
            let service = try ConsoleService(settings, report: LogOutput.write)
            let listener = try Listener.unix(path: arguments.value("--socket") ?? "", mode: 0o600)
            try service.server(on: listener).run()
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    private func settings(_ arguments: Arguments) throws(CommandError) -> ConsoleSettings {
        let port = arguments.value("--apple-port")
        guard port == nil || UInt16(port ?? "") != nil else {
            throw CommandError(.usage, "--apple-port must be a number from 0 to 65535")
        }
        return ConsoleSettings(
            origin: arguments.value("--origin") ?? "", apiSocket: arguments.value("--api") ?? "",
            applePort: port.flatMap { UInt16($0) }, keys: arguments.value("--keys") ?? "",
            bundleIDs: arguments.all("--bundle-id"), page: arguments.value("--page") ?? "",
            data: arguments.value("--data") ?? "", gatehouse: arguments.value("--gatehouse") ?? "",
            hasProxy: arguments.has("--proxy"), webOrigin: arguments.value("--web-origin"),
            pagesOrigin: arguments.value("--pages-origin"), redirectURIs: arguments.all("--redirect-uri"))
    }
}
