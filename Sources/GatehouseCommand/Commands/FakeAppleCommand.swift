import FakeApple
import POSIX

struct FakeAppleCommand: Command {
    let words = ["fake-apple"]
    let summary = "Stand in for Apple on this machine, for development."
    let discussion = """
        GET /auth/keys   the key set: let APPLE_JWKS_URL name it
        GET /mint        the body of a login as somebody new, ready for POST /api/auth/apple
        POST /mint       the same by order: {"sub", "aud", "nonce", "email", "givenName", "familyName",
                         "claims": {…}, "header": {…}}, all of them optional
        """
    let options =
        FakeAppleFolder.options + [
            Option(name: "--address", value: "ADDRESS", help: "where to listen (127.0.0.1)"),
            Option(name: "--port", value: "PORT", help: "at which port, 0 for any (8444)"),
        ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        try FakeAppleFolder.refuseProduction()
        guard let port = UInt16(input.value("--port") ?? "8444") else {
            throw CommandFault(.usage, "--port must be a number from 0 to 65535")
        }
        let service = FakeAppleService(key: try FakeAppleFolder.key(input), audience: FakeAppleFolder.bundleID)
        let address = input.value("--address") ?? "127.0.0.1"
        do {
            let server = service.server(on: try Listener.tcp(host: address, port: port))
            StandardStream.output.line("fake Apple: http://\(address):\(server.port)")
            try server.run()
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }
}
