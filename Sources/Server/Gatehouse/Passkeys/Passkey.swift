/// A public key by which a user signs in. The private key is in an authenticator: a phone, a password manager, a security key.
package struct Passkey: Sendable, Equatable {
    /// How many one user may have.
    package static let most = 20

    /// `passkey_01J…`, for paths. Other than the credential's id it is short.
    package var id: String
    /// The id that the authenticator gave to it.
    package var credentialID: [UInt8]
    /// The key in the form of COSE (RFC 9052).
    package var publicKey: [UInt8]
    /// The number of the key's algorithm at COSE.
    package var algorithm: Int64
    /// How often the authenticator has signed; 0 if it does not count.
    package var signCount: Int64
    /// How a client reaches the authenticator, such as `internal` and `hybrid`.
    package var transports: [String]
    /// Whether the authenticator may copy the key to other devices. No rule depends on this and the next one.
    package var isBackupEligible: Bool
    package var isBackedUp: Bool
    /// What the authenticator says about its model: it is not verified.
    package var aaguid: [UInt8]
    /// What the user calls it.
    package var name: String?
    package var createdAt: Timestamp
    package var lastUsedAt: Timestamp?

    package init(
        id: String, credentialID: [UInt8], publicKey: [UInt8], algorithm: Int64, signCount: Int64 = 0,
        transports: [String] = [], isBackupEligible: Bool = false, isBackedUp: Bool = false, aaguid: [UInt8] = [],
        name: String? = nil, createdAt: Timestamp, lastUsedAt: Timestamp? = nil
    ) {
        self.id = id
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.signCount = signCount
        self.transports = transports
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.aaguid = aaguid
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

extension Passkey {
    func with(id: String) -> Passkey {
        var passkey = self
        passkey.id = id
        return passkey
    }
}

extension Provider {
    /// All passkeys of a user belong to one account. Its subject is the user handle, which is random.
    package static let passkey = Provider(known: "PASSKEY")
}

/// Why the answer of an authenticator was refused: the `reason` of `invalid_passkey`.
package enum PasskeyFault: Error, Sendable, Equatable {
    /// With the id of the credential in base64url, so that the client can remove it from the authenticator.
    case unknown(String)
    /// The `passkeyId` is unknown, used, expired or of another request, or the answer is to another challenge.
    case challenge
    case origin
    case rp
    case signature
    case userVerification
    /// The authenticator has counted backwards: there may be two with the same key.
    case counter
    /// With what is wrong, in words that contain no part of the answer.
    case malformed(String)

    package var reason: String {
        switch self {
        case .unknown: "unknown"
        case .challenge: "challenge"
        case .origin: "origin"
        case .rp: "rp"
        case .signature: "signature"
        case .userVerification: "user_verification"
        case .counter: "counter"
        case .malformed: "malformed"
        }
    }

    /// One fault of each reason.
    package static let all: [PasskeyFault] = [
        .unknown(""), .challenge, .origin, .rp, .signature, .userVerification, .counter, .malformed(""),
    ]
}

/// Verifies what authenticators answer (WebAuthn level 3, sections 7.1 and 7.2). The text is JSON as `toJSON` makes it.
package protocol PasskeyVerifier: Sendable {
    func verify(registration json: [UInt8], challenge: [UInt8]) throws(PasskeyFault) -> RegisteredPasskey

    func read(assertion json: [UInt8]) throws(PasskeyFault) -> any PasskeyAssertion
}

/// A new credential. Nothing is believed of what it says about its authenticator.
package struct RegisteredPasskey: Sendable, Equatable {
    package let credentialID: [UInt8]
    package let publicKey: [UInt8]
    package let algorithm: Int64
    package let signCount: Int64
    package let transports: [String]
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let aaguid: [UInt8]
    package let isUserVerified: Bool

    package init(
        credentialID: [UInt8], publicKey: [UInt8], algorithm: Int64, signCount: Int64, transports: [String],
        isBackupEligible: Bool, isBackedUp: Bool, aaguid: [UInt8], isUserVerified: Bool
    ) {
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.signCount = signCount
        self.transports = transports
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.aaguid = aaguid
        self.isUserVerified = isUserVerified
    }
}

/// The answer to a sign-in, before its passkey is known.
package protocol PasskeyAssertion: Sendable {
    var credentialID: [UInt8] { get }
    /// The user's, as the authenticator has kept it.
    var userHandle: [UInt8]? { get }

    func verify(challenge: [UInt8], by passkey: Passkey) throws(PasskeyFault) -> PasskeyUse
}

/// What a sign-in changes of its passkey.
package struct PasskeyUse: Sendable, Equatable {
    package let credentialID: [UInt8]
    package let signCount: Int64
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let isUserVerified: Bool

    package init(
        credentialID: [UInt8], signCount: Int64, isBackupEligible: Bool, isBackedUp: Bool, isUserVerified: Bool
    ) {
        self.credentialID = credentialID
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.isUserVerified = isUserVerified
    }
}

/// The relying party of passkeys, as the settings describe it.
package struct PasskeyPolicy: Sendable, Equatable {
    /// The domain to which passkeys belong. It never changes: a passkey of another one cannot be used.
    package let rpID: String
    /// Whose answers are accepted: origins of pages, and `android:apk-key-hash:…` of apps.
    package let origins: [String]
    package var userVerification: UserVerification

    package init(rpID: String, origins: [String], userVerification: UserVerification) {
        (self.rpID, self.origins, self.userVerification) = (rpID, origins, userVerification)
    }

    /// Whether the authenticator asks for a fingerprint, a face or a PIN.
    package enum UserVerification: String, Sendable, CaseIterable {
        case required
        case preferred
        case discouraged
    }
}
