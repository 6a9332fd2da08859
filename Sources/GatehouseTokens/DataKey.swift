import JOSE
package import OpenSSL

/// A key that encrypts what is kept in the database.
package struct DataKey: Sendable {
    static let markByteCount = 4

    let cipher: AES256GCMKey
    /// Tells two keys apart, and says nothing of either.
    let mark: [UInt8]

    /// The same for messages.
    package var id: String { Self.id(ofMark: mark) }

    static func id(ofMark mark: some Sequence<UInt8>) -> String {
        mark.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    package init(_ bytes: [UInt8]) throws(KeyError) {
        cipher = try AES256GCMKey(bytes)
        mark = Array(HMACSHA256Key(bytes).authenticate(Array("gatehouse data key".utf8)).prefix(Self.markByteCount))
    }

    /// The 32 bytes that a text in base64 or base64url stands for, padded or not; nil for any other text.
    package static func bytes(written text: String) -> [UInt8]? {
        let characters = String(text.hasSuffix("=") ? text.dropLast() : text[...])
        let bytes = Base64URL.decode(characters.replacing("+", with: "-").replacing("/", with: "_"))
        return bytes.flatMap { $0.count == AES256GCMKey.byteCount ? $0 : nil }
    }
}
