import JOSE
import JSON
import OpenSSL

/// The signature algorithms of passkeys, by their names in COSE.
package enum PasskeyAlgorithm: String, Sendable, CaseIterable {
    case es256 = "ES256"
    case edDSA = "EdDSA"
    case rs256 = "RS256"

    var identifier: Int64 {
        switch self {
        case .es256: -7
        case .edDSA: -8
        case .rs256: -257
        }
    }

    var signature: Algorithm {
        switch self {
        case .es256: .ES256
        case .edDSA: .EdDSA
        case .rs256: .RS256
        }
    }
}

/// A discoverable credential, with its private key.
package struct Passkey: Sendable {
    package let id: [UInt8]
    /// The id of the relying party.
    package let party: String
    /// The user handle.
    package let user: [UInt8]
    let algorithm: PasskeyAlgorithm
    package private(set) var signCount: UInt32
    private let key: SigningKey

    /// The id as the server writes it.
    package var name: String { Base64URL.encode(id) }

    init(id: [UInt8], party: String, user: [UInt8], key: SigningKey, signCount: UInt32) throws(PasskeyError) {
        guard let algorithm = PasskeyAlgorithm.allCases.first(where: { $0.signature == key.algorithm }) else {
            throw .key("no algorithm of passkeys")
        }
        (self.id, self.party, self.user) = (id, party, user)
        (self.algorithm, self.signCount, self.key) = (algorithm, signCount, key)
    }

    /// A passkey whose counter is 0 does not count.
    mutating func advance(to count: UInt32?, isRepeated: Bool) {
        if let count { signCount = count } else if !isRepeated, signCount > 0 { signCount &+= 1 }
    }

    /// ECDSA in DER (WebAuthn, section 6.5.5).
    func signature(of message: [UInt8], _ faults: Set<PasskeyFault>) throws(PasskeyError) -> [UInt8] {
        var signature: [UInt8]
        do { signature = try key.sign(message) } catch { throw .key("\(error)") }
        if algorithm == .es256, !faults.contains(.rawSignature) {
            let numbers = DER.integer(signature[..<32]) + DER.integer(signature[32...])
            signature = [0x30, UInt8(numbers.count)] + numbers
        }
        if faults.contains(.signature) { signature[signature.count - 1] ^= 1 }
        return signature
    }

    // MARK: In authenticator data

    /// The attested credential data, with an aaguid of zeros, as an iPhone's (WebAuthn, section 6.5.1).
    func attestedData(_ faults: Set<PasskeyFault>) -> [UInt8] {
        if faults.contains(.noCredential) { return [] }
        let length = [UInt8(id.count >> 8), UInt8(id.count & 255)]
        return [UInt8](repeating: 0, count: 16) + length + id + publicKey(faults).bytes
    }

    /// The public key in COSE (RFC 9052, section 7; RFC 9053, sections 7.1 and 7.2; RFC 8230, section 4).
    private func publicKey(_ faults: Set<PasskeyFault>) -> CBOR {
        let jwk = key.publicJWK ?? [:]
        func number(_ name: String) -> CBOR { .bytes(jwk[name]?.string.flatMap(Base64URL.decode) ?? []) }
        // A coordinate or modulus that is changed is no valid key any more.
        func changed(_ name: String) -> CBOR {
            guard faults.contains(.key), case .bytes(var bytes) = number(name) else { return number(name) }
            if algorithm == .es256 { bytes[31] ^= 1 } else { bytes.removeLast() }
            return .bytes(bytes)
        }
        let identifier = CBOR.integer(faults.contains(.algorithm) ? -37 : algorithm.identifier)
        let members: [(Int64, CBOR)] =
            switch algorithm {
            case .es256: [(1, .integer(2)), (3, identifier), (-1, .integer(1)), (-2, number("x")), (-3, changed("y"))]
            case .edDSA: [(1, .integer(1)), (3, identifier), (-1, .integer(6)), (-2, changed("x"))]
            case .rs256: [(1, .integer(3)), (3, identifier), (-1, changed("n")), (-2, number("e"))]
            }
        return .map(members.map { (.integer($0), $1) })
    }

    // MARK: In a file

    var json: JSONObject {
        [
            "id": .bytes(id), "rpId": .string(party), "userHandle": .bytes(user),
            "signCount": .integer(Int64(signCount)), "key": .string(key.pem ?? ""),
        ]
    }

    init(_ json: JSONObject) throws(PasskeyError) {
        let bytes = ["id", "userHandle"].compactMap { json[$0]?.string.flatMap(Base64URL.decode) }
        let count = json["signCount"]?.integer.flatMap(UInt32.init(exactly:))
        guard bytes.count == 2, let party = json["rpId"]?.string, let count, let pem = json["key"]?.string,
            let key = try? SigningKey(pem: pem)
        else { throw .file }
        try self.init(id: bytes[0], party: party, user: bytes[1], key: key, signCount: count)
    }
}

// MARK: - Encodings

/// As much of CBOR as passkeys need (RFC 8949), in its shortest form.
indirect enum CBOR {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case map([(CBOR, CBOR)])

    var bytes: [UInt8] {
        switch self {
        case .integer(let value): Self.head(value < 0 ? 1 : 0, Int(value < 0 ? -1 - value : value))
        case .bytes(let bytes): Self.head(2, bytes.count) + bytes
        case .text(let text): Self.head(3, text.utf8.count) + Array(text.utf8)
        case .map(let members): Self.head(5, members.count) + members.flatMap { $0.bytes + $1.bytes }
        }
    }

    /// The major type, and a number below 65,536.
    private static func head(_ type: UInt8, _ number: Int) -> [UInt8] {
        switch number {
        case ..<24: [type << 5 | UInt8(number)]
        case ..<256: [type << 5 | 24, UInt8(number)]
        default: [type << 5 | 25, UInt8(number >> 8), UInt8(number & 255)]
        }
    }
}

private enum DER {
    /// A positive number, of at most 32 bytes.
    static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        let sign: [UInt8] = (digits.first ?? 128) > 127 ? [0] : []
        return [0x02, UInt8(sign.count + digits.count)] + sign + digits
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}

extension JSONValue {
    /// base64url without padding, as WebAuthn writes bytes in JSON.
    static func bytes(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
