import CommandLineTool
import FileSystem
import JOSE
import JSON
import POSIX

/// Verifies any compact JWS, to find out whether the token or the key is wrong.
struct JWSVerifyCommand: Command {
    let words = ["jws", "verify"]
    let summary = "Verify the signature of a token with a key set."
    let discussion = """
        Prints the payload and exits 0, or prints the reason of the refusal and exits 1. Does not check claims.
        TOKEN or FILE may be - for standard input.
        """
    let parameters = ["TOKEN"]
    let options = [
        Option(name: "--jwks", value: "FILE", help: "the key set; may have symmetric keys", isRequired: true),
        Option(
            name: "--alg", value: "ALG", help: "the accepted algorithm: HS256, RS256, ES256 or EdDSA",
            isRequired: true),
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let keys = try KeySetFile(arguments.value("--jwks") ?? "")
        guard let algorithm = arguments.value("--alg").flatMap(Algorithm.init(rawValue:)) else {
            throw CommandError(.usage, "--alg must be one of HS256, RS256, ES256, EdDSA")
        }
        let token = try TokenArgument.read(arguments.positional[0])
        do throws(JOSEError) {
            let payload = try verify(token, algorithm: algorithm, keys: keys)
            StandardStream.output.line(String(decoding: payload, as: UTF8.self))
            return .done
        } catch {
            StandardStream.output.line(reason(for: error))
            return .no
        }
    }

    /// Without a kid, tries every key of the algorithm; with a kid, only the key with that id.
    private func verify(_ token: String, algorithm: Algorithm, keys: KeySetFile) throws(JOSEError) -> [UInt8] {
        let jws: CompactJWS
        do { jws = try CompactJWS(token, maximumBytes: 1 << 20) } catch { throw .malformed(error.description) }
        guard jws.algorithmName == algorithm.rawValue else { throw .algorithm }
        let candidates = keys.all.filter { key in
            key.algorithm == algorithm && (jws.keyID == nil || key.keyID == nil || key.keyID == jws.keyID)
        }
        guard !candidates.isEmpty else { throw .unknownKey }
        for key in candidates where (try? jws.verify(with: key)) != nil { return jws.payload }
        throw .signature
    }

    /// A stable word for scripts, then an explanation.
    private func reason(for error: JOSEError) -> String {
        switch error {
        case .malformed(let detail): "malformed: \(detail)"
        case .unusableKey(let detail): "unusable_key: \(detail)"
        case .signing(let detail): "signing: \(detail)"
        case .algorithm: "algorithm: \(error)"
        case .signature: "signature: \(error)"
        case .unknownKey: "unknown_key: \(error)"
        }
    }
}

/// A key set from a file of the command line.
struct KeySetFile {
    /// Every valid key, with or without a kid.
    let all: [VerificationKey]

    init(_ path: String) throws(CommandError) {
        let bytes: [UInt8]
        do { bytes = try File.read(path) } catch { throw CommandError(.usage, error.description) }
        do { _ = try JWKSet(parsing: bytes, usableFor: [.RS256]) } catch {
            throw CommandError(.usage, "\(path) is not a key set: \(error)")
        }
        let members = (try? JSONValue(parsing: bytes))?.object?["keys"]?.array ?? []
        all = members.compactMap { member in
            member.object.flatMap { try? VerificationKey(jwk: $0, allowingSymmetric: true) }
        }
    }
}

/// A token from the command line, or from standard input, because process lists show the command line.
enum TokenArgument {
    static func read(_ argument: String) throws(CommandError) -> String {
        guard argument == "-" else { return argument }
        return token(in: try bytes("-"))
    }

    /// - Parameter argument: the token itself, the name of a file with it, or `-` for standard input.
    static func bytes(_ argument: String) throws(CommandError) -> [UInt8] {
        guard argument == "-" || FileStatus.ifAny(at: argument)?.kind == .file else { return Array(argument.utf8) }
        do { return try File.read(argument) } catch { throw CommandError(.failed, error.description) }
    }

    /// Only the first line, because some tools write more after the token.
    static func token(in bytes: [UInt8]) -> String {
        String(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline })
    }
}
