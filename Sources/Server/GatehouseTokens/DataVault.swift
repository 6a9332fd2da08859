package import Gatehouse
import JOSE
package import OpenSSL
import Text

/// Encrypts secrets that are stored in the database, so that a copy of the database does not reveal them.
///
/// A sealed value has a head (one byte for the format's version, four bytes that identify the key), followed by nonce,
/// ciphertext and tag of AES-256-GCM. The head and the owner's id are authenticated with it.
package struct DataVault: Vault {
    private static let version: UInt8 = 1

    private let current: DataKey
    private let all: [DataKey]

    /// - Parameter previous: keys that open the values which they sealed, and seal no new ones.
    package init(key: DataKey, previous: [DataKey] = []) {
        current = key
        all = [key] + previous
    }

    /// The length of a head.
    package static let headByteCount = 1 + DataKey.idByteCount

    /// The head of every value that the current key seals: it identifies the key without opening the value.
    package var currentHead: [UInt8] { Self.head(of: current) }

    /// The heads for all keys of this vault, the current key's first.
    package var heads: [[UInt8]] { all.map(Self.head) }

    /// The `DataKey.id` of the key that sealed a value with this head, in any version of the format.
    package static func keyID(ofHead head: [UInt8]) -> String { DataKey.id(head.dropFirst()) }

    private static func head(of key: DataKey) -> [UInt8] { [version] + key.idBytes }

    package func seal(_ secret: String, for owner: UserID) -> [UInt8] {
        let head = currentHead
        return head + current.cipher.seal(Array(secret.utf8), with: Self.authenticated(head, owner))
    }

    package func open(_ sealed: [UInt8], for owner: UserID) -> String? {
        let head = Array(sealed.prefix(Self.headByteCount))
        guard head.first == Self.version else { return nil }
        // Tries every key with this id: two keys may have the same four bytes by chance.
        for key in all where head.dropFirst().elementsEqual(key.idBytes) {
            let secret = key.cipher.open(Array(sealed.dropFirst(head.count)), with: Self.authenticated(head, owner))
            if let secret { return String(validating: secret, as: UTF8.self) }
        }
        return nil
    }

    private static func authenticated(_ head: [UInt8], _ owner: UserID) -> [UInt8] { head + Array(owner.text.utf8) }
}

/// A key that encrypts values in the database.
package struct DataKey: Sendable {
    static let idByteCount = 4

    let cipher: AES256GCMKey
    /// A keyed hash of a constant: tells two keys apart, and reveals nothing about either.
    let idBytes: [UInt8]

    /// The id in hexadecimal, for messages.
    package var id: String { Self.id(idBytes) }

    static func id(_ bytes: some Sequence<UInt8>) -> String {
        Hexadecimal.text(bytes)
    }

    package init(_ bytes: [UInt8]) throws(KeyError) {
        cipher = try AES256GCMKey(bytes)
        idBytes = Array(HMACSHA256Key(bytes).authenticate(Array("gatehouse data key".utf8)).prefix(Self.idByteCount))
    }

    /// The 32 bytes of a key that a setting gives in base64 or base64url, padded or not; nil for any other text.
    package static func bytes(written text: String) -> [UInt8]? {
        let characters = String(text.hasSuffix("=") ? text.dropLast() : text[...])
        let bytes = Base64URL.decode(characters.replacing("+", with: "-").replacing("/", with: "_"))
        return bytes.flatMap { $0.count == AES256GCMKey.byteCount ? $0 : nil }
    }
}
