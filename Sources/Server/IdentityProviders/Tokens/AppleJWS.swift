import Gatehouse
import JOSE
import JSON

/// A token signed by Apple: what identity tokens and notifications have in common. Its format, issuer and audience can
/// be checked without Apple's key.
///
/// A class, because it has many fields and is passed on several times.
final class AppleJWS: Sendable {
    static let maximumByteCount = 8192

    let claims: JSONObjectReader
    let keyID: String
    private let jws: CompactJWS

    /// - Parameter passed: called after each check that passed, for a report on a refused token.
    init(_ text: String, passed: IdentityTokenCheck.Observer = { _ in }) throws(IdentityFault) {
        do { jws = try CompactJWS(text, maximumBytes: Self.maximumByteCount) } catch {
            throw .malformed(MalformedToken(error, of: text))
        }
        passed(.form)
        guard jws.algorithmName == Algorithm.RS256.rawValue else { throw .algorithm }
        passed(.algorithm)
        guard let keyID = jws.keyID else { throw .malformed(.unusable(.header, member: "kid")) }
        self.keyID = keyID
        passed(.keyID)
        do { claims = try jws.claimReader() } catch { throw .malformed(MalformedToken(error, of: text)) }
    }

    /// SHA-256 of the signed part. The signature need not be included: RS256 gives one signature for each text and key.
    var hash: [UInt8] { jws.signingHash }

    /// Whether it names an accepted issuer.
    func isIssued(by policy: IdentityTokenPolicy) -> Bool {
        policy.issuers.contains { claims.has("iss", $0) }
    }

    /// The app for which an accepted issuer made this token.
    func audience(
        _ policy: IdentityTokenPolicy, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) -> String {
        guard isIssued(by: policy) else { throw .issuer }
        passed(.issuer)
        guard let audience = audience(in: policy.audiences) else { throw .audience(namedAudience) }
        passed(.audience)
        return audience
    }

    /// The accepted audience that `aud` names, as a string or as the only element of an array.
    private func audience(in accepted: [String]) -> String? {
        if let audience = accepted.first(where: { claims.has("aud", $0) }) { return audience }
        guard let array = claims["aud"]?.array, array.count == 1, let single = array[0].string else { return nil }
        return accepted.first(where: single.isIdentical)
    }

    /// What `aud` names, for the answer. The signature is not verified yet, so it can be any text.
    private var namedAudience: PlainName? {
        guard let array = claims["aud"]?.array else { return claims["aud"]?.string.flatMap(PlainName.init) }
        return array.count == 1 ? array[0].string.flatMap(PlainName.init) : nil
    }

    func verify(with key: VerificationKey) throws(IdentityFault) {
        do { try jws.verify(with: key) } catch {
            throw error == .algorithm ? .algorithm : .signature
        }
    }
}
