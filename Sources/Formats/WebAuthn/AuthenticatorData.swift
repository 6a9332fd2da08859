/// Authenticator data (WebAuthn level 3, section 6.1).
struct AuthenticatorData: Sendable {
    /// A new credential, in the answer to a registration alone.
    struct Credential: Sendable {
        let aaguid: [UInt8]
        let id: [UInt8]
        /// The public key, as the authenticator has encoded it, and read.
        let publicKey: [UInt8]
        let key: CBOR
    }

    private static let aaguidByteCount = 16
    private static let signatureCounterByteCount = 4
    private static let hashByteCount = 32

    let relyingPartyHash: [UInt8]
    private let flags: UInt8
    let signCount: UInt32
    let credential: Credential?

    var isUserPresent: Bool { flags & 0x01 != 0 }
    var isUserVerified: Bool { flags & 0x04 != 0 }
    var isBackupEligible: Bool { flags & 0x08 != 0 }
    var isBackedUp: Bool { flags & 0x10 != 0 }

    /// The two reserved flags are ignored, because a later level may use them.
    init(_ bytes: [UInt8]) throws(WebAuthnFault) {
        var rest = bytes[...]
        relyingPartyHash = try Self.take(Self.hashByteCount, from: &rest)
        flags = try Self.take(1, from: &rest)[0]
        signCount = try Self.take(Self.signatureCounterByteCount, from: &rest).reduce(0) { $0 << 8 | UInt32($1) }
        credential = flags & 0x40 == 0 ? nil : try Self.takeCredential(from: &rest)
        if flags & 0x80 != 0 {
            let (extensions, _) = try Self.takeCBOR(from: &rest)
            guard let entries = extensions.map, entries.allSatisfy({ $0.key.text != nil }) else {
                throw .malformed("the extensions in the authenticator data are no map of names")
            }
        }
        guard rest.isEmpty else { throw .malformed("the authenticator data has bytes after its end") }
        guard isBackupEligible || !isBackedUp else {
            throw .malformed("the authenticator data says that a credential is backed up that cannot be")
        }
    }

    private static func takeCredential(from rest: inout ArraySlice<UInt8>) throws(WebAuthnFault) -> Credential {
        let aaguid = try take(aaguidByteCount, from: &rest)
        let count = try take(2, from: &rest).reduce(0) { $0 << 8 | Int($1) }
        guard CredentialID.acceptedByteCounts.contains(count) else {
            throw .malformed("the credential id has \(count) bytes")
        }
        let id = try take(count, from: &rest)
        let (key, publicKey) = try takeCBOR(from: &rest)
        return Credential(aaguid: aaguid, id: id, publicKey: publicKey, key: key)
    }

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) throws(WebAuthnFault) -> [UInt8] {
        guard count <= rest.count else { throw .malformed("the authenticator data is too short") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func takeCBOR(
        from rest: inout ArraySlice<UInt8>
    ) throws(WebAuthnFault) -> (value: CBOR, encoded: [UInt8]) {
        let bytes = Array(rest)
        var reader = CBORReader(bytes)
        let value: CBOR
        do { value = try reader.value() } catch { throw .malformed("the authenticator data \(error.rawValue)") }
        rest = rest.dropFirst(reader.position)
        return (value, Array(bytes[..<reader.position]))
    }
}

enum CredentialID {
    /// WebAuthn level 3, section 4.
    static let acceptedByteCounts = 1...1023
}

/// An attestation object (WebAuthn level 3, section 6.5.4). Its statement is not verified: options ask for none, and the model
/// of an authenticator changes no rule here. So the statement may have any format, in the form that all formats have.
struct AttestationObject: Sendable {
    let format: String
    let authenticatorData: [UInt8]

    init(_ bytes: [UInt8]) throws(WebAuthnFault) {
        let object: CBOR
        do { object = try CBOR(parsing: bytes) } catch { throw .malformed("the attestation object \(error.rawValue)") }
        guard object.map?.count == 3, let format = object["fmt"]?.text, let statement = object["attStmt"],
            let authenticatorData = object["authData"]?.bytes
        else { throw .malformed("the attestation object has not exactly fmt, attStmt and authData") }
        guard Self.isIdentifier(format), Self.isStatement(statement, of: format) else {
            throw .malformed("the attestation statement does not fit its format")
        }
        (self.format, self.authenticatorData) = (format, authenticatorData)
    }

    /// Section 8.1.
    private static func isIdentifier(_ format: String) -> Bool {
        (1...32).contains(format.utf8.count)
            && format.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    private static func isStatement(_ statement: CBOR, of format: String) -> Bool {
        switch (format, statement) {
        case ("none", .map(let entries)): entries.isEmpty
        // Attestations by several others (section 8.9).
        case ("compound", .array(let statements)): statements.count >= 2
        case ("none", _), ("compound", _): false
        case (_, .map(let entries)): !entries.isEmpty
        default: false
        }
    }
}
