import JOSE
import JSON
import POSIX

/// Checks any compact JWS, for whoever wonders whether a token or a key is at fault.
struct JWSVerifyCommand: Command {
    let words = ["jws", "verify"]
    let summary = "Check the signature of a token against a key set."
    let discussion = """
        Prints the payload and exits 0, or prints the reason of the refusal and exits 1. Claims are not looked at.
        TOKEN or FILE may be - for standard input.
        """
    let arguments = ["TOKEN"]
    let options = [
        Option(name: "--jwks", value: "FILE", help: "the key set, symmetric keys included", isRequired: true),
        Option(
            name: "--alg", value: "ALG", help: "the one algorithm to accept: HS256, RS256, ES256 or EdDSA",
            isRequired: true),
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let keys = try KeySetFile(input.value("--jwks") ?? "")
        guard let algorithm = input.value("--alg").flatMap(Algorithm.init(rawValue:)) else {
            throw CommandFault(.usage, "--alg must be one of HS256, RS256, ES256, EdDSA")
        }
        let token = try TokenArgument.read(input.arguments[0])
        do throws(JOSEError) {
            let payload = try verify(token, algorithm: algorithm, keys: keys)
            StandardStream.output.line(String(decoding: payload, as: UTF8.self))
            return .done
        } catch {
            StandardStream.output.line(reason(for: error))
            return .no
        }
    }

    /// A token without a kid is tried with every key of the algorithm; one with a kid only with the key it names.
    private func verify(_ token: String, algorithm: Algorithm, keys: KeySetFile) throws(JOSEError) -> [UInt8] {
        let jws = try CompactJWS(token, maximumBytes: 1 << 20)
        guard jws.algorithmName == algorithm.rawValue else { throw .algorithm }
        let candidates = keys.all.filter { key in
            key.algorithm == algorithm && (jws.keyID == nil || key.keyID == nil || key.keyID == jws.keyID)
        }
        guard !candidates.isEmpty else { throw .unknownKey }
        for key in candidates where (try? jws.verify(with: key)) != nil { return jws.payload }
        throw .signature
    }

    /// A word that a script can rely on, then what a person wants to know.
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
