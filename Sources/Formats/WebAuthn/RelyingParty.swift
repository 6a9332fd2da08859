import JOSE
import JSON
import OpenSSL

package enum UserVerification: String, CaseIterable, Sendable {
    case required
    case preferred
    case discouraged
}

/// Verifies the answers of authenticators as a relying party has to (WebAuthn level 3, sections 7.1 and 7.2).
///
/// It has no state: whether a challenge is unused and not expired, and whose a credential is, are questions of the caller.
package struct RelyingParty: Sendable {
    package let id: String
    /// Web origins, and `android:apk-key-hash:` of apps.
    package let origins: [String]
    /// Pages that may have one of `origins` in a frame of another origin. Empty: none may.
    package let topOrigins: [String]
    package let userVerification: UserVerification
    private let hash: [UInt8]

    package init(id: String, origins: [String], topOrigins: [String] = [], userVerification: UserVerification) {
        (self.id, self.origins, self.topOrigins, self.userVerification) = (id, origins, topOrigins, userVerification)
        hash = SHA256.hash(id)
    }
}

/// What a verified registration says. Of all this, only the id and the key prove anything later: an attestation was not
/// asked for, so the client could have chosen the rest.
package struct RegisteredCredential: Sendable {
    package let id: [UInt8]
    /// COSE_Key, as the authenticator has encoded it.
    package let publicKey: [UInt8]
    package let algorithm: PasskeyAlgorithm
    package let signCount: UInt32
    package let aaguid: [UInt8]
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let isUserVerified: Bool
    package let transports: [String]
}

/// A credential as the caller has stored it.
package struct KnownCredential: Sendable {
    package let id: [UInt8]
    package let publicKey: [UInt8]
    package let signCount: UInt32

    package init(id: [UInt8], publicKey: [UInt8], signCount: UInt32) {
        (self.id, self.publicKey, self.signCount) = (id, publicKey, signCount)
    }
}

/// What a verified sign-in says, and the caller stores.
package struct Assertion: Sendable {
    package let signCount: UInt32
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let isUserVerified: Bool
}

/// Why an answer of an authenticator was refused.
package enum WebAuthnFault: Error, Equatable, Sendable {
    /// The answer is to another challenge.
    case challenge
    /// The page or the app that asked is not in the list, or is in a frame of one that is not.
    case origin
    /// The credential is for another relying party.
    case relyingParty
    /// The signature is not of the credential's key.
    case signature
    /// The user was not present, or was not verified although the relying party demands it.
    case userVerification
    /// The counter has not grown, so there may be a copy of the credential.
    case counter
    /// The answer has not the form that the specification demands. The text is for a log, and contains no part of the answer.
    case malformed(String)
}

extension RelyingParty {
    /// - Parameters:
    ///   - challenge: The bytes that the options had.
    ///   - algorithms: Those that the options had.
    package func verify(
        _ registration: RegistrationResponse, challenge: [UInt8],
        algorithms: [PasskeyAlgorithm] = PasskeyAlgorithm.allCases
    ) throws(WebAuthnFault) -> RegisteredCredential {
        try verify(clientData: registration.clientDataJSON, type: "webauthn.create", challenge: challenge)
        let attestation = try AttestationObject(registration.attestationObject)
        let data = try AuthenticatorData(attestation.authenticatorData)
        try verify(data)
        guard let credential = data.credential else { throw .malformed("the authenticator data has no credential") }
        let key = try COSEKey(credential.key)
        try key.checkNew()
        guard algorithms.contains(key.algorithm) else { throw .malformed("the algorithm was not offered") }
        try registration.verifyRepeated(attestation.authenticatorData, credential, key.algorithm)
        return RegisteredCredential(
            id: credential.id, publicKey: credential.publicKey, algorithm: key.algorithm, signCount: data.signCount,
            aaguid: credential.aaguid, isBackupEligible: data.isBackupEligible, isBackedUp: data.isBackedUp,
            isUserVerified: data.isUserVerified, transports: registration.transports)
    }

    /// The caller has found the credential by the id of the answer, and compares `userHandle` with its owner.
    package func verify(
        _ assertion: AssertionResponse, challenge: [UInt8], with credential: KnownCredential
    ) throws(WebAuthnFault) -> Assertion {
        guard assertion.credentialID == credential.id else { throw .malformed("the answer is of another credential") }
        try verify(clientData: assertion.clientDataJSON, type: "webauthn.get", challenge: challenge)
        let data = try AuthenticatorData(assertion.authenticatorData)
        guard data.credential == nil else { throw .malformed("the authenticator data has a new credential") }
        try verify(data)
        let message = assertion.authenticatorData + SHA256.hash(assertion.clientDataJSON)
        guard try COSEKey(parsing: credential.publicKey).isValid(signature: assertion.signature, for: message) else {
            throw .signature
        }
        // Many authenticators do not count, and always say zero.
        guard data.signCount > credential.signCount || (data.signCount, credential.signCount) == (0, 0) else {
            throw .counter
        }
        return Assertion(
            signCount: data.signCount, isBackupEligible: data.isBackupEligible, isBackedUp: data.isBackedUp,
            isUserVerified: data.isUserVerified)
    }

    private func verify(_ data: AuthenticatorData) throws(WebAuthnFault) {
        guard data.relyingPartyHash == hash else { throw .relyingParty }
        guard data.isUserPresent, data.isUserVerified || userVerification != .required else { throw .userVerification }
    }
}

// MARK: - Client data

extension RelyingParty {
    /// What the browser or the operating system says of the request (section 5.8.1). Members that are not known are ignored, as
    /// the specification demands, so the text is never compared with a template.
    private func verify(clientData: [UInt8], type: String, challenge: [UInt8]) throws(WebAuthnFault) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = clientData.starts(with: byteOrderMark) ? Array(clientData.dropFirst(3)) : clientData
        let members: JSONObjectReader?
        do { members = try JSONObjectReader(parsing: text) } catch {
            throw .malformed("clientDataJSON is not valid JSON")
        }
        guard let members else { throw .malformed("clientDataJSON is no object") }
        guard members.has("type", type) else { throw .malformed("the type in clientDataJSON is not \(type)") }
        guard let answered = members.string("challenge"), let origin = members.string("origin") else {
            throw .malformed("clientDataJSON has no challenge or no origin")
        }
        // base64url has one text for each sequence of bytes, so texts can be compared.
        guard constantTimeEquals(answered.utf8.span, Base64URL.encode(challenge).utf8.span) else { throw .challenge }
        guard origins.contains(where: { $0.isIdentical(to: origin) }) else { throw .origin }
        try verifyFrame(members)
    }

    /// A page in a frame of another origin could be there to be clicked unseen, so the outer page must be in the list.
    private func verifyFrame(_ members: JSONObjectReader) throws(WebAuthnFault) {
        let isCrossOrigin: Bool
        switch members["crossOrigin"] {
        case nil: isCrossOrigin = false
        case .bool(let value)?: isCrossOrigin = value
        default: throw .malformed("crossOrigin in clientDataJSON is no boolean")
        }
        guard isCrossOrigin || members.contains("topOrigin") else { return }
        guard isCrossOrigin, let topOrigin = members.string("topOrigin"),
            topOrigins.contains(where: { $0.isIdentical(to: topOrigin) })
        else { throw .origin }
    }
}

extension RegistrationResponse {
    /// Some members repeat what is in the attestation object. A client that says two things is refused.
    fileprivate func verifyRepeated(
        _ data: [UInt8], _ credential: AuthenticatorData.Credential, _ keyAlgorithm: PasskeyAlgorithm
    ) throws(WebAuthnFault) {
        guard credentialID == credential.id else { throw .malformed("the credential has another id than the answer") }
        guard authenticatorData == nil || authenticatorData == data else {
            throw .malformed("authenticatorData differs from the authData of the attestation object")
        }
        guard algorithm == nil || algorithm?.integer == keyAlgorithm.rawValue else {
            throw .malformed("publicKeyAlgorithm is not that of the public key")
        }
    }
}
