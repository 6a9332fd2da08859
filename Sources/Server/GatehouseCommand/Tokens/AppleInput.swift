import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseWeb
import JSON
import POSIX

/// What `apple verify` verifies: a token, or the request body that contains it.
enum AppleInput {
    case token(String)
    case body([UInt8])

    /// - Parameter argument: the token or the body itself, the name of a file with it, or `-` for standard input.
    init(_ argument: String) throws(CommandError) {
        let bytes = try TokenArgument.bytes(argument)
        let isBody = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        self = isBody ? .body(bytes) : .token(TokenArgument.token(in: bytes))
    }

    /// The login. Options take the place of the members of a body.
    func credential(_ arguments: Arguments) throws(CommandError) -> IdentityCredential {
        var credential = try credential()
        credential.code = arguments.value("--code") ?? credential.code
        credential.userIdentifier = arguments.value("--user") ?? credential.userIdentifier
        credential.nonce = arguments.value("--nonce") ?? credential.nonce
        return credential
    }

    private func credential() throws(CommandError) -> IdentityCredential {
        switch self {
        case .token(let text): IdentityCredential(identityToken: text)
        case .body(let bytes): try Self.read(AppleLoginBody.self, from: bytes).login.credential
        }
    }

    /// The payload of a notification.
    func notification() throws(CommandError) -> String {
        switch self {
        case .token(let text): text
        case .body(let bytes): try Self.read(AppleNotificationBody.self, from: bytes).payload
        }
    }

    /// Reads a body as the server does, so that it finds the same faults.
    private static func read<Body: RequestBody>(_: Body.Type, from bytes: [UInt8]) throws(CommandError) -> Body {
        do { return try Body(parsing: bytes) } catch {
            switch error {
            case .invalidJSON(let fault): throw CommandError(.usage, "\(error.code): \(fault)")
            case .invalidRequest(let faults): throw CommandError(.usage, error.code, details: faults.map(\.sentence))
            default: throw CommandError(.usage, error.code)
            }
        }
    }
}
