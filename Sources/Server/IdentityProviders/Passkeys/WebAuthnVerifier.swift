package import Gatehouse
import JSON
import WebAuthn

/// Verifies what authenticators answer, by the rules of WebAuthn. It asks nobody: a passkey's key is in the database.
package struct WebAuthnVerifier: PasskeyVerifier {
    private let party: RelyingParty

    package init(_ rules: PasskeyPolicy) {
        let verification: UserVerification =
            switch rules.userVerification {
            case .required: .required
            case .preferred: .preferred
            case .discouraged: .discouraged
            }
        party = RelyingParty(id: rules.rpID, origins: rules.origins, userVerification: verification)
    }

    package func verify(registration json: [UInt8], challenge: [UInt8]) throws(PasskeyFault) -> RegisteredPasskey {
        let credential = try verifying { () throws(WebAuthnFault) in
            try party.verify(try RegistrationResponse(try object(json)), challenge: challenge)
        }
        return RegisteredPasskey(
            credentialID: credential.id, publicKey: credential.publicKey, algorithm: credential.algorithm.rawValue,
            signCount: Int64(credential.signCount), transports: credential.transports,
            isBackupEligible: credential.isBackupEligible, isBackedUp: credential.isBackedUp,
            aaguid: credential.aaguid, isUserVerified: credential.isUserVerified)
    }

    package func read(assertion json: [UInt8]) throws(PasskeyFault) -> any PasskeyAssertion {
        let response = try verifying { () throws(WebAuthnFault) in try AssertionResponse(try object(json)) }
        return ReadAssertion(party: party, response: response)
    }
}

private struct ReadAssertion: PasskeyAssertion {
    let party: RelyingParty
    let response: AssertionResponse

    var credentialID: [UInt8] { response.credentialID }
    var userHandle: [UInt8]? { response.userHandle }

    func verify(challenge: [UInt8], by passkey: Passkey) throws(PasskeyFault) -> PasskeyUse {
        let known = KnownCredential(
            id: passkey.credentialID, publicKey: passkey.publicKey,
            signCount: UInt32(clamping: passkey.signCount))
        let assertion = try verifying { () throws(WebAuthnFault) in
            try party.verify(response, challenge: challenge, with: known)
        }
        return PasskeyUse(
            credentialID: passkey.credentialID, signCount: Int64(assertion.signCount),
            isBackupEligible: assertion.isBackupEligible, isBackedUp: assertion.isBackedUp,
            isUserVerified: assertion.isUserVerified)
    }
}

private func object(_ json: [UInt8]) throws(WebAuthnFault) -> JSONObject {
    guard let object = (try? JSONValue(parsing: json))?.object else { throw .malformed("not a JSON object") }
    return object
}

/// The one place where a fault of WebAuthn becomes the reason of an answer.
private func verifying<Result>(_ body: () throws(WebAuthnFault) -> Result) throws(PasskeyFault) -> Result {
    do throws(WebAuthnFault) { return try body() } catch {
        switch error {
        case .challenge: throw .challenge
        case .origin: throw .origin
        case .relyingParty: throw .rp
        case .signature: throw .signature
        case .userVerification: throw .userVerification
        case .counter: throw .counter
        case .malformed(let part): throw .malformed(part)
        }
    }
}
