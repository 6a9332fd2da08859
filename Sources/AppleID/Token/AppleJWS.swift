import Gatehouse
import JOSE
import JSON

/// What identity tokens and notifications have in common: a form, an issuer and an audience, all of which can be known
/// without Apple's key.
///
/// A class: it has many parts, and goes from hand to hand.
final class AppleJWS: Sendable {
    static let longest = 8192

    let claims: JSONObjectReader
    let keyID: String
    private let jws: CompactJWS

    /// - Parameter passed: told of each check that held, for whoever explains a refusal.
    init(_ text: String, passed: IdentityTokenCheck.Observer = { _ in }) throws(AppleTokenFault) {
        do { jws = try CompactJWS(text, maximumBytes: Self.longest) } catch { throw .malformed }
        passed(.form)
        guard jws.algorithmName == Algorithm.RS256.rawValue else { throw .algorithm }
        passed(.algorithm)
        guard let keyID = jws.keyID else { throw .malformed }
        self.keyID = keyID
        passed(.keyID)
        do { claims = try jws.claimReader() } catch { throw .malformed }
    }

    /// SHA-256 of all that is signed. The signature itself need not go in: RS256 has one for each text and key.
    var hash: [UInt8] { jws.signingHash }

    /// Which of our apps this was made for, by one of the issuers that we believe.
    func audience(
        _ policy: IdentityTokenPolicy, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(AppleTokenFault) -> String {
        guard policy.issuers.contains(where: { claims.has("iss", $0) }) else { throw .issuer }
        passed(.issuer)
        guard let audience = audience(in: policy.audiences) else { throw .audience }
        passed(.audience)
        return audience
    }

    /// The one that the token names, by itself or as all that is in an array.
    private func audience(in known: [String]) -> String? {
        if let audience = known.first(where: { claims.has("aud", $0) }) { return audience }
        guard let named = claims["aud"]?.array, named.count == 1, let single = named[0].string else { return nil }
        return known.first(where: single.isIdentical)
    }

    func verify(with key: VerificationKey) throws(AppleTokenFault) {
        do { try jws.verify(with: key) } catch {
            throw error == .algorithm ? .algorithm : .signature
        }
    }
}
