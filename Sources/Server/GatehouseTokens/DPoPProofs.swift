package import Gatehouse
import JOSE
import JSON

/// Why a proof cannot be read: the part with the fault, and what the client is told.
package struct UnreadableProof: Error, Equatable {
    /// In the order in which they are read. The claims have their own names.
    package enum Part: String, Sendable, CaseIterable {
        case form, type, algorithm, key, signature, claims
        case id = "jti"
        case method = "htm"
        case url = "htu"
        case issuedAt = "iat"
        case accessTokenHash = "ath"
        case nonce = "nonce"
    }

    package let part: Part
    package let fault: DPoPFault

    init(_ part: Part, _ fault: DPoPFault = .malformed) {
        (self.part, self.fault) = (part, fault)
    }
}

/// Proofs that clients sign (RFC 9449, section 4). A proof contains its public key. The caller compares that key with the one
/// in the session's row.
extension JWTTokenService {
    private static let proofType = "dpop+jwt"
    package static let longestProof = 4096

    package func readProof(_ text: ArraySlice<UInt8>) throws(DPoPFault) -> DPoPProof {
        do throws(UnreadableProof) { return try Self.readProof(text) } catch { throw error.fault }
    }

    package static func readProof(_ text: ArraySlice<UInt8>) throws(UnreadableProof) -> DPoPProof {
        let jws = try reading(.form) { () throws(MalformedJWS) in
            try CompactJWS(String(decoding: text, as: UTF8.self), maximumBytes: longestProof)
        }
        guard jws.type == proofType else { throw UnreadableProof(.type) }
        guard DPoPPolicy.algorithms.contains(jws.algorithmName) else {
            throw UnreadableProof(.algorithm, .algorithm)
        }
        // A client that sends its private key has a fault that must not go unnoticed.
        guard let jwk = jws.header["jwk"]?.object, jwk["d"] == nil else { throw UnreadableProof(.key) }
        let (key, thumbprint) = try reading(.key) { () throws(JOSEError) in
            (try VerificationKey(jwk: jwk), try JWKThumbprint.compute(of: jwk))
        }
        guard key.algorithm.rawValue == jws.algorithmName else { throw UnreadableProof(.key, .algorithm) }
        do throws(JOSEError) { try jws.verify(with: key) } catch {
            throw UnreadableProof(.signature, error == .signature ? .signature : .malformed)
        }
        let claims = try reading(.claims) { () throws(MalformedJWS) in try jws.claims() }
        return try DPoPProof(claims, thumbprint: thumbprint)
    }

    private static func reading<Result, Failure: Error>(
        _ part: UnreadableProof.Part, _ read: () throws(Failure) -> Result
    ) throws(UnreadableProof) -> Result {
        do throws(Failure) { return try read() } catch { throw UnreadableProof(part) }
    }
}

extension DPoPProof {
    package static let longestID = 256
    /// The year 5138.
    private static let latestTime = 1e11

    /// Throws if a claim is missing or has the wrong type.
    fileprivate init(_ claims: JSONObject, thumbprint: String) throws(UnreadableProof) {
        guard let id = claims["jti"]?.string, (1...Self.longestID).contains(id.utf8.count) else {
            throw UnreadableProof(.id)
        }
        guard let method = claims["htm"]?.string else { throw UnreadableProof(.method) }
        guard let url = claims["htu"]?.string else { throw UnreadableProof(.url) }
        // With a fraction, too (RFC 7519, section 2).
        guard let issuedAt = claims["iat"]?.number, (0...Self.latestTime).contains(issuedAt) else {
            throw UnreadableProof(.issuedAt)
        }
        var (hash, nonce): ([UInt8]?, String?)
        if let member = claims["ath"] {
            guard let bytes = member.string.flatMap({ Base64URL.decode($0) }) else {
                throw UnreadableProof(.accessTokenHash)
            }
            hash = bytes
        }
        if let member = claims["nonce"] {
            guard let text = member.string else { throw UnreadableProof(.nonce) }
            nonce = text
        }
        self.init(
            thumbprint: thumbprint, id: id, method: method, url: url,
            issuedAt: Timestamp(milliseconds: Int64(issuedAt * 1000)), accessTokenHash: hash, nonce: nonce)
    }
}

/// Nonces for proofs.
extension JWTTokenService {
    private static let proofNoncePrefix = Array("gatehouse dpop nonce ".utf8)

    package func proofNonce(expiresAt: Timestamp) -> String { nonce(expiresAt: expiresAt, Self.proofNoncePrefix) }

    package func expiry(ofProofNonce nonce: String) -> Timestamp? {
        Self.expiry(of: nonce, by: challengeKeys, Self.proofNoncePrefix)
    }
}
