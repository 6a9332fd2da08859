import Gatehouse
package import JOSE
import JSON

/// A token signed by a provider: what identity tokens and notifications have in common. Its format, issuer and audience
/// can be checked without the provider's key.
///
/// A class, because it has many fields and is passed on several times.
final class SignedToken: Sendable {
    static let maximumByteCount = 8192

    /// A set may have many keys without an id, and each of them costs a verification.
    private static let mostKeys = 8

    let claims: JSONObjectReader
    /// The key that the header names.
    let key: KeyReference
    private let jws: CompactJWS

    /// - Parameter passed: called after each check that passed, for a report on a refused token.
    init(
        _ text: String, rules: TokenRules, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) {
        do { jws = try CompactJWS(text, maximumBytes: Self.maximumByteCount) } catch {
            throw .malformed(MalformedToken(error, of: text))
        }
        passed(.form)
        guard let algorithm = rules.algorithm(named: jws.algorithmName) else { throw .algorithm }
        passed(.algorithm)
        guard jws.keyID != nil || !rules.demandsKeyID else { throw .malformed(.unusable(.header, member: "kid")) }
        key = KeyReference(keyID: jws.keyID, algorithm: algorithm)
        passed(.keyID)
        guard rules.accepts(type: jws.type) else { throw .malformed(.otherType) }
        passed(.type)
        do { claims = try jws.claimReader() } catch { throw .malformed(MalformedToken(error, of: text)) }
    }

    /// SHA-256 of the signed part. The signature is not included: an ES256 signature can be changed into another valid one
    /// without the key.
    var hash: [UInt8] { jws.signingHash }

    /// Whether it names an accepted issuer. The token only selects among them.
    func isIssued(by rules: TokenRules) -> Bool {
        rules.issuers.contains { claims.has("iss", $0) }
    }

    /// Throws if the token is signed with none of these keys. The key determines the algorithm, and the header has to name
    /// the same one.
    func verify(with keys: [VerificationKey]) throws(IdentityFault) {
        var left = Self.mostKeys
        for candidate in keys where candidate.algorithm == key.algorithm && left > 0 {
            left -= 1
            if (try? jws.verify(with: candidate)) != nil { return }
        }
        throw left == Self.mostKeys ? .algorithm : .signature
    }
}

/// The key that signed a token, as its header names it.
package struct KeyReference: Sendable, Equatable {
    /// Nil for a token that names no key: then each key for the algorithm may be the one.
    package let keyID: String?
    package let algorithm: Algorithm

    package init(keyID: String?, algorithm: Algorithm) {
        self.keyID = keyID
        self.algorithm = algorithm
    }
}
