package import Gatehouse
import JOSE
import JSON

/// Proofs that clients make (RFC 9449, section 4). They contain their key: whose key it is, the session says.
extension JWTTokenService {
    private static let proofType = "dpop+jwt"
    private static let longestProof = 4096

    package func readProof(_ text: ArraySlice<UInt8>) throws(DPoPFault) -> DPoPProof { try Self.readProof(text) }

    package static func readProof(_ text: ArraySlice<UInt8>) throws(DPoPFault) -> DPoPProof {
        let jws = try malformed { () throws(MalformedJWS) in
            try CompactJWS(String(decoding: text, as: UTF8.self), maximumBytes: longestProof)
        }
        guard jws.type == proofType else { throw .malformed }
        guard [.ES256, .EdDSA].contains(Algorithm(rawValue: jws.algorithmName)) else { throw .algorithm }
        // A client that sends its private key has a fault that must not go unnoticed.
        guard let jwk = jws.header["jwk"]?.object, jwk["d"] == nil else { throw .malformed }
        let (key, thumbprint) = try malformed { () throws(JOSEError) in
            (try VerificationKey(jwk: jwk), try JWKThumbprint.compute(of: jwk))
        }
        do throws(JOSEError) { try jws.verify(with: key) } catch {
            switch error {
            case .algorithm: throw .algorithm
            case .signature: throw .signature
            default: throw .malformed
            }
        }
        let claims = try malformed { () throws(MalformedJWS) in try jws.claims() }
        guard let proof = DPoPProof(claims, thumbprint: thumbprint) else { throw .malformed }
        return proof
    }

    private static func malformed<Result, Failure: Error>(
        _ read: () throws(Failure) -> Result
    ) throws(DPoPFault) -> Result {
        do throws(Failure) { return try read() } catch { throw .malformed }
    }
}

extension DPoPProof {
    /// Nil if a claim is missing or has the wrong type.
    fileprivate init?(_ claims: JSONObject, thumbprint: String) {
        guard let id = claims["jti"]?.string, (1...Self.longestID).contains(id.utf8.count),
            let method = claims["htm"]?.string, let url = claims["htu"]?.string,
            // With a fraction, too (RFC 7519, section 2).
            let issuedAt = claims["iat"]?.number, (0...Self.latestTime).contains(issuedAt)
        else { return nil }
        var (hash, nonce): ([UInt8]?, String?)
        if let member = claims["ath"] {
            guard let bytes = member.string.flatMap({ Base64URL.decode($0) }) else { return nil }
            hash = bytes
        }
        if let member = claims["nonce"] {
            guard let text = member.string else { return nil }
            nonce = text
        }
        self.init(
            thumbprint: thumbprint, id: id, method: method, url: url,
            issuedAt: Timestamp(milliseconds: Int64(issuedAt * 1000)),
            accessTokenHash: hash, nonce: nonce)
    }

    private static let longestID = 256
    /// The year 5138.
    private static let latestTime = 1e11
}

/// Nonces for proofs.
extension JWTTokenService {
    private static let proofNoncePrefix = Array("gatehouse dpop nonce ".utf8)

    package func proofNonce(expiresAt: Timestamp) -> String { nonce(expiresAt: expiresAt, Self.proofNoncePrefix) }

    package func expiry(ofProofNonce nonce: String) -> Timestamp? {
        Self.expiry(of: nonce, by: challengeKeys, Self.proofNoncePrefix)
    }
}
