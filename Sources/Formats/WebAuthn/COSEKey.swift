import OpenSSL

/// The algorithms of passkeys, by their COSE numbers, in the order in which authenticators should choose.
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum PasskeyAlgorithm: Int64, CaseIterable, Sendable {
    case ES256 = -7
    case EdDSA = -8
    case RS256 = -257

    /// The algorithm of a public key that another product has exported. Throws for a key that no registration could have
    /// brought.
    ///
    /// - Parameter publicKey: COSE_Key.
    package init(ofPublicKey publicKey: [UInt8]) throws(WebAuthnFault) {
        let key = try COSEKey(parsing: publicKey)
        try key.checkNew()
        self = key.algorithm
    }
}

/// The public key of a credential (COSE_Key, RFC 9052, section 7; RFC 9053; RFC 8230).
struct COSEKey: Sendable {
    private enum Material: Sendable {
        case p256(P256PublicKey)
        case ed25519(Ed25519PublicKey)
        case rsa(RSAPublicKey)
    }

    private enum Label {
        static let keyType: CBOR = 1
        static let algorithm: CBOR = 3
        /// The curve; of an RSA key, the modulus.
        static let first: CBOR = -1
        /// X; of an RSA key, the exponent.
        static let second: CBOR = -2
        static let y: CBOR = -3
    }

    let algorithm: PasskeyAlgorithm
    private let material: Material

    /// Accepts exactly the parameters that WebAuthn demands (section 6.5.1.1), so no private one, and no point in compressed
    /// form.
    init(_ value: CBOR) throws(WebAuthnFault) {
        guard let number = value[Label.algorithm]?.integer, let algorithm = PasskeyAlgorithm(rawValue: number) else {
            throw .malformed("the public key has no alg that is supported")
        }
        let form = (count: value.map?.count, type: value[Label.keyType]?.integer)
        self.algorithm = algorithm
        do {
            switch algorithm {
            case .ES256:
                guard form == (5, 2), value[Label.first] == 1 else { throw Self.wrongParameters }
                material = .p256(try P256PublicKey(x: value.bytes(Label.second), y: value.bytes(Label.y)))
            case .EdDSA:
                guard form == (4, 1), value[Label.first] == 6 else { throw Self.wrongParameters }
                material = .ed25519(try Ed25519PublicKey(raw: value.bytes(Label.second)))
            case .RS256:
                guard form == (4, 3) else { throw Self.wrongParameters }
                material = .rsa(
                    try RSAPublicKey(modulus: value.number(Label.first), exponent: value.number(Label.second)))
            }
        } catch let fault as WebAuthnFault {
            throw fault
        } catch {
            throw .malformed("the public key is \(error)")
        }
    }

    init(parsing bytes: [UInt8]) throws(WebAuthnFault) {
        let value: CBOR
        do { value = try CBOR(parsing: bytes) } catch { throw .malformed("the public key \(error.rawValue)") }
        try self.init(value)
    }

    /// What is checked only before a key is stored, because it takes time: OpenSSL accepts a point that is not on the curve of
    /// Ed25519. Points of P-256 are checked whenever they are read.
    func checkNew() throws(WebAuthnFault) {
        if case .ed25519(let key) = material, !key.isStrong {
            throw .malformed("the public key is a point that is not on the curve, or of small order")
        }
    }

    fileprivate static let wrongParameters = WebAuthnFault.malformed("the public key has other parameters than its alg")

    /// - Parameter signature: ES256 in DER, the others as they are in JOSE (section 6.5.5).
    func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        switch material {
        case .p256(let key): key.isValid(derSignature: signature, for: message)
        case .ed25519(let key): key.isValid(signature: signature, for: message)
        case .rsa(let key): key.isValidPKCS1SHA256Signature(signature, for: message)
        }
    }
}

extension CBOR {
    fileprivate func bytes(_ label: CBOR) throws(WebAuthnFault) -> [UInt8] {
        guard let bytes = self[label]?.bytes else { throw COSEKey.wrongParameters }
        return bytes
    }

    /// A number in its shortest form (RFC 8230, section 4).
    fileprivate func number(_ label: CBOR) throws(WebAuthnFault) -> [UInt8] {
        let bytes = try bytes(label)
        guard let first = bytes.first, first != 0 else { throw COSEKey.wrongParameters }
        return bytes
    }
}
