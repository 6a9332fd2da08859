/// How an answer of `SoftwareAuthenticator` differs from a good one.
package enum PasskeyFault: String, Sendable, CaseIterable {
    // Of both ceremonies
    case type, challenge, origin, rp, backup, trailing, id
    case crossOrigin = "cross-origin"
    case duplicateMember = "duplicate-member"
    case noPresence = "no-presence"
    case noVerification = "no-verification"
    // Of a registration
    case noCredential = "no-credential"
    case algorithm, key, attestation, excluded
    case longID = "long-id"
    case duplicateKey = "duplicate-key"
    case trailingAttestation = "trailing-attestation"
    // Of a sign-in
    case signature, counter, eligibility, unknown
    case rawSignature = "raw-signature"
    case userHandle = "user-handle"
    case noUserHandle = "no-user-handle"

    package static let ofCreation: [PasskeyFault] = Array(allCases.prefix { $0 != .signature })
    package static let ofSignIn: [PasskeyFault] =
        allCases.prefix { $0 != .noCredential } + allCases.drop { $0 != .signature }

    package var explanation: String {
        switch self {
        case .type: "the type of the other ceremony"
        case .challenge: "a challenge that the options did not have"
        case .origin: "the origin \(Self.foreignOrigin)"
        case .crossOrigin: "crossOrigin, in a frame of a page of \(Self.foreignOrigin)"
        case .duplicateMember: "clientDataJSON has the member type twice"
        case .rp: "the hash of the RP id \(Self.foreignHost)"
        case .noPresence: "the flag UP is not set"
        case .noVerification: "the flag UV is not set"
        case .backup: "the flag BS (backed up) without BE (may be backed up)"
        case .trailing: "one byte after the authenticator data"
        case .id: "id differs from rawId"
        case .noCredential: "no attested credential data, and the flag AT is not set"
        case .algorithm: "the key names PS256, which the options do not offer"
        case .key: "a key that is not valid: a point off the curve, or one byte too short"
        case .longID: "a credential id of 1024 bytes; 1023 are allowed"
        case .duplicateKey: "the attestation object has the member fmt twice"
        case .trailingAttestation: "one byte after the attestation object"
        case .attestation: "an attestation statement with a forged signature"
        case .excluded: "creates a passkey although the options exclude one that is here"
        case .signature: "the last bit of the signature is wrong"
        case .rawSignature: "a signature of ES256 as R and S, without DER"
        case .counter: "the counter of the last time again, for a passkey with a counter (--counter)"
        case .eligibility: "the flags BE and BS differ from those of the registration"
        case .unknown: "the id of a passkey that the server does not know"
        case .userHandle: "the handle of another user"
        case .noUserHandle: "no user handle"
        }
    }

    static let foreignHost = "evil.example"
    static let foreignOrigin = "https://" + foreignHost

    /// UP is bit 0, UV 2, BE 3, BS 4 and AT 6.
    func change(_ flags: inout UInt8) {
        switch self {
        case .noPresence: flags &= ~0x01
        case .noVerification: flags &= ~0x04
        case .backup: flags = flags & ~0x08 | 0x10
        case .noCredential: flags &= ~0x40
        case .eligibility: flags = flags & 0x08 == 0 ? flags | 0x08 : flags & ~0x18
        default: break
        }
    }
}
