/// A proof that the sender of a request has a private key (RFC 9449), as a token service reads it: its signature is valid.
/// What it says about the request has not been compared yet.
package struct DPoPProof: Sendable, Equatable {
    /// The RFC 7638 thumbprint of the public key, which names the key.
    package let thumbprint: String
    /// Different for each proof of the key (`jti`).
    package let id: String
    package let method: String
    package let url: String
    package let issuedAt: Timestamp
    /// SHA-256 of the access token that is sent with it.
    package let accessTokenHash: [UInt8]?
    package let nonce: String?

    package init(
        thumbprint: String, id: String, method: String, url: String, issuedAt: Timestamp, accessTokenHash: [UInt8]?,
        nonce: String?
    ) {
        self.thumbprint = thumbprint
        self.id = id
        self.method = method
        self.url = url
        self.issuedAt = issuedAt
        self.accessTokenHash = accessTokenHash
        self.nonce = nonce
    }
}

/// Why a proof is refused: the check that failed, with its stable name for clients.
package enum DPoPFault: String, Error, Sendable, CaseIterable {
    case missing = "missing"
    case malformed = "malformed"
    case algorithm = "algorithm"
    case signature = "signature"
    case method = "method"
    case url = "url"
    case expired = "expired"
    case notYetValid = "not_yet_valid"
    case accessToken = "access_token"
    case nonce = "nonce"
    /// The proof is right, but by another key than the session's.
    case key = "key"
    case replayed = "replayed"
}

/// The proof of a request as it was sent, and the request that it must be about.
package struct SentProof: Sendable {
    package let text: ArraySlice<UInt8>
    package let method: String
    /// The address that the client used, as far as the front knows it.
    package let url: ProofURL

    package init(_ text: ArraySlice<UInt8>, method: String, url: ProofURL) {
        (self.text, self.method, self.url) = (text, method, url)
    }
}

/// The rules of one installation for proofs.
package struct DPoPPolicy: Sendable, Equatable {
    /// What the guard and the reads of the own API ask of a bound access token.
    package enum Guard: String, Sendable, CaseIterable {
        /// The same as `optional`, under the name that it had before a proof that is sent was always checked.
        case off
        /// A client may send no proof. One that is sent must be right.
        case optional
        case required
    }

    /// The algorithms of proofs, by their names in RFC 7518 and RFC 8037.
    package static let algorithms = ["ES256", "EdDSA"]

    /// How long before and after its time of issue a proof is accepted, for clocks that differ.
    package static let window = Duration.seconds(60)
    /// How long a nonce of the server is accepted.
    package static let nonceLifetime = Duration.seconds(300)

    package var atGuard: Guard
    package var requiresNonce: Bool
    /// The public origin, with which a proof's URL is compared; nil for the origin of each request.
    package var origin: ProofURL.Origin?

    package init(atGuard: Guard = .optional, requiresNonce: Bool = false, origin: ProofURL.Origin? = nil) {
        (self.atGuard, self.requiresNonce, self.origin) = (atGuard, requiresNonce, origin)
    }
}

/// One check of a proof, in the order in which they are made.
package struct DPoPCheck: Sendable, Equatable {
    package let fault: DPoPFault
    package let passes: Bool

    init(_ fault: DPoPFault, _ passes: Bool) {
        (self.fault, self.passes) = (fault, passes)
    }
}

/// What a proof must be about.
package struct DPoPExpectation: Sendable {
    package let method: String
    /// Any of these.
    package let urls: [ProofURL]
    /// Nil for a request without an access token.
    package let accessTokenHash: [UInt8]?

    package init(method: String, urls: [ProofURL], accessTokenHash: [UInt8]?) {
        (self.method, self.urls, self.accessTokenHash) = (method, urls, accessTokenHash)
    }
}

extension DPoPProof {
    /// What the proof says about the request, compared with what it must say. A nonce and the key are checked by the caller.
    package func checks(against expected: DPoPExpectation, at now: Timestamp) -> [DPoPCheck] {
        [
            DPoPCheck(.method, method == expected.method),
            DPoPCheck(.url, ProofURL(url).map(expected.urls.contains) ?? false),
            DPoPCheck(.expired, now <= issuedAt + DPoPPolicy.window),
            DPoPCheck(.notYetValid, issuedAt <= now + DPoPPolicy.window),
            DPoPCheck(.accessToken, expected.accessTokenHash.map { $0 == accessTokenHash } ?? true),
        ]
    }
}
