import FakeApple
import POSIX

struct FakeAppleCommand: Command {
    let words = ["fake-apple"]
    let summary = "Stand in for Apple on this machine, for development."
    let discussion = """
        As Apple has it, for APPLE_JWKS_URL, APPLE_TOKEN_URL and APPLE_REVOKE_URL:
        GET /auth/keys     the key set
        POST /auth/token   exchanges a code or a refresh token
        POST /auth/revoke  revokes a token
        The developer's key is AuthKey_<key id>.p8 in the folder, made if missing; apps are those of APPLE_BUNDLE_ID.

        To make it do something:
        GET /mint          the body of a login as somebody new, ready for POST /api/auth/apple
        POST /mint         the same by order: {"sub", "aud", "nonce", "email", "givenName", "familyName", "transferSub",
                           "era": "2019|2021|2025", "claims": {…}, "header": {…}}, all of them optional
        POST /notify       a notification: {"type", "sub", "aud", "to": URL, "email", "is_private_email",
                           "shape": "object|string|array", "time": "s|ms", "jti", "claims": {…}, "header": {…}}
        POST /faults       {"fault": "delay|hang|status|garbage|empty|huge|redirect|close", "path": "/auth/keys",
                           "times": 2, "seconds": 3, "status": 500, "error": "…"}; DELETE takes all back
        POST /keys/rotate  lets a new key sign; POST /keys/turnover takes the old ones away, too
        GET /requests      what was asked of Apple's endpoints; DELETE forgets it
        GET /authorisations  who has authorised which app

        It answers requests to localhost, 127.0.0.1, [::1], --address and --host, and no others: a web page could have a
        name of its own resolve to this machine.
        """
    let options =
        FakeAppleFolder.options + [
            Option(name: "--address", value: "ADDRESS", help: "where to listen (127.0.0.1)"),
            Option(name: "--port", value: "PORT", help: "at which port, 0 for any (8444)"),
            Option(name: "--host", value: "NAME", help: "answer to this name too; more than one may be given"),
            Option(name: "--team-id", value: "ID", help: "the developer's team (\(DeveloperAccount.defaultTeamID))"),
            Option(name: "--key-id", value: "ID", help: "the id of its key (\(DeveloperAccount.defaultKeyID))"),
            Option(name: "--ca", value: "FILE", help: "certificates to believe when notifying"),
        ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        try FakeAppleFolder.refuseProduction()
        guard let port = UInt16(input.value("--port") ?? "8444") else {
            throw CommandFault(.usage, "--port must be a number from 0 to 65535")
        }
        let service = try service(input)
        let address = input.value("--address") ?? "127.0.0.1"
        do {
            let names = HostNames(and: input.all("--host") + [address.contains(":") ? "[\(address)]" : address])
            let server = service.server(on: try Listener.tcp(host: address, port: port), names: names)
            StandardStream.output.line("fake Apple: http://\(address):\(server.port)")
            try server.run()
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }

    private func service(_ input: Input) throws(CommandFault) -> FakeAppleService {
        let folder = FakeAppleFolder.path(input)
        let keyID = input.value("--key-id") ?? DeveloperAccount.defaultKeyID
        // It becomes part of a file's name.
        guard !keyID.isEmpty, keyID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw CommandFault(.usage, "--key-id must be letters and digits")
        }
        do {
            let developer = try DeveloperAccount(
                in: folder, teamID: input.value("--team-id") ?? DeveloperAccount.defaultTeamID, keyID: keyID,
                clientIDs: FakeAppleFolder.clientIDs)
            return try FakeAppleService(
                folder: folder, keys: try PublishedKeys(in: folder), developer: developer,
                courier: Courier(authorities: input.value("--ca")))
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }
}
