import Gatehouse
import JOSE
package import JSON

/// An identity token whose form and claims are right, and whose signature nobody has looked at yet.
///
/// Everything that can be known without Apple's key is checked while making one, so that a token which fails here has
/// cost no signature and no fetch.
package struct IdentityToken: Sendable {
    package static let longest = 8192

    package let claims: JSONObject
    package let keyID: String
    let jws: CompactJWS
    let subject: String
    let audience: String

    init(_ text: String, policy: IdentityTokenPolicy, now: Timestamp) throws(AppleTokenFault) {
        jws = try Self.parse(text)
        keyID = try Self.keyID(of: jws)
        claims = try Self.claims(of: jws)
        subject = try Self.subject(in: claims)
        guard let issuer = claims["iss"]?.string, policy.issuers.contains(where: issuer.isIdentical) else {
            throw .issuer
        }
        audience = try Self.audience(in: claims, oneOf: policy.audiences)
        try Lifetime(claims).check(now: now, leeway: policy.leeway)
    }

    func verify(with key: VerificationKey) throws(AppleTokenFault) {
        do { try jws.verify(with: key) } catch {
            throw error == .algorithm ? .algorithm : .signature
        }
    }

    private static func parse(_ text: String) throws(AppleTokenFault) -> CompactJWS {
        let jws: CompactJWS
        do { jws = try CompactJWS(text, maximumBytes: longest) } catch { throw .malformed }
        guard jws.algorithmName == Algorithm.RS256.rawValue else { throw .algorithm }
        return jws
    }

    private static func keyID(of jws: CompactJWS) throws(AppleTokenFault) -> String {
        guard let keyID = jws.keyID else { throw .malformed }
        return keyID
    }

    private static func claims(of jws: CompactJWS) throws(AppleTokenFault) -> JSONObject {
        let claims: JSONObject
        do { claims = try jws.claims() } catch { throw .malformed }
        // A notification from Apple's servers has the same issuer, keys and audience, and is no login.
        guard claims["events"] == nil else { throw .malformed }
        return claims
    }

    private static func subject(in claims: JSONObject) throws(AppleTokenFault) -> String {
        guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 256,
            !subject.utf8.contains(where: { $0 < 0x20 })
        else { throw .malformed }
        return subject
    }

    private static func audience(
        in claims: JSONObject, oneOf accepted: [String]
    ) throws(AppleTokenFault) -> String {
        let claim = claims["aud"]
        let single = claim?.array.flatMap { $0.count == 1 ? $0[0].string : nil } ?? claim?.string
        guard let single, accepted.contains(where: single.isIdentical) else { throw .audience }
        return single
    }
}
