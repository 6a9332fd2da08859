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

    init(_ text: String) throws(AppleTokenFault) {
        jws = try Self.parse(text)
        guard let keyID = jws.keyID else { throw .malformed }
        self.keyID = keyID
        do { claims = try jws.claims() } catch { throw .malformed }
    }

    private static func parse(_ text: String) throws(AppleTokenFault) -> CompactJWS {
        let jws: CompactJWS
        do { jws = try CompactJWS(text, maximumBytes: longest) } catch { throw .malformed }
        guard jws.algorithmName == Algorithm.RS256.rawValue else { throw .algorithm }
        return jws
    }

    /// SHA-256 of all that is signed. The signature itself need not go in: RS256 has one for each text and key.
    var hash: [UInt8] { SHA256.hash(jws.signingInput) }

    /// Which of our apps this was made for, by one of the issuers that we believe.
    func audience(_ policy: IdentityTokenPolicy) throws(AppleTokenFault) -> String {
        guard let issuer = claims["iss"]?.string, policy.issuers.contains(where: issuer.isIdentical) else {
            throw .issuer
        }
        let claim = claims["aud"]
        let single = claim?.array.flatMap { $0.count == 1 ? $0[0].string : nil } ?? claim?.string
        guard let single, policy.audiences.contains(where: single.isIdentical) else { throw .audience }
        return single
    }

    func verify(with key: VerificationKey) throws(AppleTokenFault) {
        do { try jws.verify(with: key) } catch {
            throw error == .algorithm ? .algorithm : .signature
        }
    }
}
