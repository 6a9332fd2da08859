import JOSE
package import JSON

/// The answer of an authenticator to `navigator.credentials.create()`, in the JSON of its `toJSON` (WebAuthn level 3, section
/// 5.1). Nothing in it is verified yet.
package struct RegistrationResponse: Sendable {
    package let credentialID: [UInt8]
    package let clientDataJSON: [UInt8]
    package let attestationObject: [UInt8]
    package let transports: [String]
    /// What some clients repeat of the attestation object.
    let authenticatorData: [UInt8]?
    let algorithm: JSONValue?

    package init(_ credential: JSONObject) throws(WebAuthnFault) {
        let response = try credential.authenticatorResponse()
        credentialID = try credential.credentialID()
        clientDataJSON = try response.octets("clientDataJSON")
        attestationObject = try response.octets("attestationObject")
        transports = try response.transports()
        authenticatorData = try response.optionalOctets("authenticatorData")
        algorithm = response.member("publicKeyAlgorithm")
    }
}

/// The answer of an authenticator to `navigator.credentials.get()`, in the JSON of its `toJSON`. Nothing in it is verified yet.
package struct AssertionResponse: Sendable {
    package let credentialID: [UInt8]
    package let clientDataJSON: [UInt8]
    package let authenticatorData: [UInt8]
    package let signature: [UInt8]
    /// The id of the user for whom the credential was made; nil if the authenticator has not said it. It is not signed, so it
    /// proves nothing by itself.
    package let userHandle: [UInt8]?

    package init(_ credential: JSONObject) throws(WebAuthnFault) {
        let response = try credential.authenticatorResponse()
        credentialID = try credential.credentialID()
        clientDataJSON = try response.octets("clientDataJSON")
        authenticatorData = try response.octets("authenticatorData")
        signature = try response.octets("signature")
        userHandle = try response.optionalOctets("userHandle")
    }
}

extension JSONObject {
    fileprivate func authenticatorResponse() throws(WebAuthnFault) -> JSONObject {
        guard self["type"] == "public-key" else { throw .malformed("type is not public-key") }
        guard let response = self["response"]?.object else { throw .malformed("response is missing or no object") }
        return response
    }

    fileprivate func credentialID() throws(WebAuthnFault) -> [UInt8] {
        let id = try octets("id")
        guard id == (try octets("rawId")) else { throw .malformed("id and rawId differ") }
        guard CredentialID.acceptedByteCounts.contains(id.count) else {
            throw .malformed("the credential id has \(id.count) bytes")
        }
        return id
    }

    /// Nil also for null, which some clients write for a member that is missing.
    fileprivate func member(_ name: String) -> JSONValue? {
        guard let member = self[name], member != .null else { return Optional.none }
        return member
    }

    fileprivate func octets(_ name: String) throws(WebAuthnFault) -> [UInt8] {
        guard let octets = try optionalOctets(name) else { throw .malformed("\(name) is missing") }
        return octets
    }

    fileprivate func optionalOctets(_ name: String) throws(WebAuthnFault) -> [UInt8]? {
        guard let member = member(name) else { return nil }
        guard let octets = member.string.flatMap({ Base64URL.decode($0) }) else {
            throw .malformed("\(name) is not base64url without padding")
        }
        return octets
    }

    /// Each once. Values that the specification does not know are kept, as it demands, if they look like one.
    fileprivate func transports() throws(WebAuthnFault) -> [String] {
        guard let member = member("transports") else { return [] }
        guard let values = member.array, values.count <= 16 else { throw .malformed("transports is no short list") }
        var transports: [String] = []
        for value in values {
            guard let text = value.string, (1...32).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0 == 0x2D || ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x7A) })
            else { throw .malformed("transports has a value that names none") }
            if !transports.contains(text) { transports.append(text) }
        }
        return transports
    }
}
