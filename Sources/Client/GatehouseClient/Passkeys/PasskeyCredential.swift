import Foundation

/// A passkey in the list of the user's passkeys.
public struct ListedPasskey: Decodable, Hashable, Sendable, Identifiable {
    /// The server's id of it.
    public let id: String
    /// The id that the authenticator gave to it, in base64url.
    public let credentialId: String
    public let name: String?
    public let createdAt: Date
    public let lastUsedAt: Date?
    /// The id of the relying party.
    var party: String?

    private enum CodingKeys: CodingKey { case id, credentialId, name, createdAt, lastUsedAt }

    /// For previews and tests of an app.
    public init(
        id: String, credentialId: String = "", name: String? = nil, createdAt: Date, lastUsedAt: Date? = nil
    ) {
        (self.id, self.credentialId, self.name) = (id, credentialId, name)
        (self.createdAt, self.lastUsedAt) = (createdAt, lastUsedAt)
    }
}

struct PasskeyList: Decodable {
    let rpId: String?
    /// As the system shows the user. Nil for a user without a passkey.
    let user: PasskeyOptions.User?
    let passkeys: [ListedPasskey]
}

/// What the server asks of an authenticator (WebAuthn level 3, sections 5.4 and 5.5). Bytes are in base64url.
package struct PasskeyOptions: Codable, Hashable, Sendable {
    package struct User: Codable, Hashable, Sendable {
        let id: String
        let name: String
        let displayName: String?
    }

    package struct PublicKey: Codable, Hashable, Sendable {
        struct Party: Codable, Hashable { let id: String }
        struct Selection: Codable, Hashable { let userVerification: String? }
        struct Descriptor: Codable, Hashable { let id: String }

        let challenge: String
        /// In milliseconds.
        let timeout: Double?
        let rpId: String?
        let userVerification: String?
        let rp: Party?
        let user: User?
        let authenticatorSelection: Selection?
        let excludeCredentials: [Descriptor]?

        var party: String? { rpId ?? rp?.id }
    }

    /// Names the challenge at the server.
    package let passkeyId: String
    package let publicKey: PublicKey
}

/// What the user says of themself in a sign-up. No part of it is proven.
package struct PasskeyProfile: Codable, Hashable, Sendable {
    let nickname: String?
    /// A mail address or a phone number.
    let contact: String?

    package init(nickname: String? = nil, contact: String? = nil) {
        (self.nickname, self.contact) = (nickname, contact)
    }
}

/// What an authenticator has answered, in the JSON of WebAuthn level 3 (section 5.1).
package struct PasskeyCredential: Codable, Hashable, Sendable {
    struct Response: Codable, Hashable {
        let clientDataJSON: String
        // Of a registration
        var attestationObject: String?
        var transports: [String]?
        // Of a sign-in
        var authenticatorData: String?
        var signature: String?
        var userHandle: String?
    }

    package let id: String
    let rawId: String
    let type: String
    let response: Response
    let clientExtensionResults: [String: Bool]

    private init(_ id: Data, _ response: Response) {
        (self.id, rawId, type) = (id.base64URL, id.base64URL, "public-key")
        (self.response, clientExtensionResults) = (response, [:])
    }

    /// A new passkey.
    ///
    /// Its private key is in this device and in those that the user synchronises with it, which also answer other devices
    /// (`hybrid`). `internal` alone would keep a browser on another device from offering that.
    package init(id: Data, clientData: Data, attestation: Data) {
        let response = Response(
            clientDataJSON: clientData.base64URL, attestationObject: attestation.base64URL,
            transports: ["hybrid", "internal"])
        self.init(id, response)
    }

    package init(id: Data, clientData: Data, authenticatorData: Data, signature: Data, user: Data) {
        let response = Response(
            clientDataJSON: clientData.base64URL, authenticatorData: authenticatorData.base64URL,
            signature: signature.base64URL, userHandle: user.base64URL)
        self.init(id, response)
    }
}

/// It signs in, so it does not print its contents.
extension PasskeyCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "PasskeyCredential(…)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Data {
    /// Nil for text that is not base64url without padding.
    package init?(base64URL text: String) {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") })
        else { return nil }
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4))
    }
}
