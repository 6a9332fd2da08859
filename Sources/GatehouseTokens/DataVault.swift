package import Gatehouse
import OpenSSL

/// Encrypts with keys of ours what a stolen database must not give away.
///
/// What is sealed reads: 1 (this form), 4 bytes that name the key, then nonce, ciphertext and tag of AES-256-GCM. All
/// that stands before the nonce, and the owner, are authenticated with it.
package struct DataVault: Vault {
    private static let version: UInt8 = 1

    private let current: DataKey
    private let all: [DataKey]

    /// - Parameter previous: keys that open what they sealed before they were replaced, and seal nothing.
    package init(key: DataKey, previous: [DataKey] = []) {
        current = key
        all = [key] + previous
    }

    /// The first bytes of everything that the current key seals. They tell which key a value needs without opening it.
    package var currentHead: [UInt8] { Self.head(of: current) }

    /// The same of every key that this vault opens with, the current one first.
    package var heads: [[UInt8]] { all.map(Self.head) }

    private static func head(of key: DataKey) -> [UInt8] { [version] + key.mark }

    /// The `DataKey.id` of the key that sealed what begins with this head, in whatever version of the form.
    package static func keyID(ofHead head: [UInt8]) -> String { DataKey.id(ofMark: head.dropFirst()) }

    /// How many bytes name the form and the key.
    package static let headByteCount = 1 + DataKey.markByteCount

    package func seal(_ secret: String, for owner: UserID) -> [UInt8] {
        let head = currentHead
        return head + current.cipher.seal(Array(secret.utf8), with: Self.data(head, owner))
    }

    package func open(_ sealed: [UInt8], for owner: UserID) -> String? {
        let head = Array(sealed.prefix(Self.headByteCount))
        guard head.first == Self.version else { return nil }
        // Two keys may have one mark by chance, and then either may be meant.
        for key in all where head.dropFirst().elementsEqual(key.mark) {
            let secret = key.cipher.open(Array(sealed.dropFirst(head.count)), with: Self.data(head, owner))
            if let secret { return String(validating: secret, as: UTF8.self) }
        }
        return nil
    }

    private static func data(_ head: [UInt8], _ owner: UserID) -> [UInt8] { head + Array(owner.text.utf8) }
}
