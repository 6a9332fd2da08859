import Gatehouse
import JOSE
import JSON
import OpenSSL

/// What identity tokens and notifications have in common: a form, an issuer and an audience, all of which can be known
/// without Apple's key.
struct AppleJWS: Sendable {
    static let longest = 8192

    let claims: JSONObject
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
        do { claims = try jws.claims() } catch { throw .malformed }
    }

    /// SHA-256 of all that is signed. The signature itself need not go in: RS256 has one for each text and key.
    var hash: [UInt8] { SHA256.hash(jws.signingInput) }

    /// Which of our apps this was made for, by one of the issuers that we believe.
    func audience(
        _ policy: IdentityTokenPolicy, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(AppleTokenFault) -> String {
        guard let issuer = claims["iss"]?.string, policy.issuers.contains(where: issuer.isIdentical) else {
            throw .issuer
        }
        passed(.issuer)
        let claim = claims["aud"]
        let single = claim?.array.flatMap { $0.count == 1 ? $0[0].string : nil } ?? claim?.string
        guard let single, policy.audiences.contains(where: single.isIdentical) else { throw .audience }
        passed(.audience)
        return single
    }

    func verify(with key: VerificationKey) throws(AppleTokenFault) {
        do { try jws.verify(with: key) } catch {
            throw error == .algorithm ? .algorithm : .signature
        }
    }
}
