/// The body of a form: `application/x-www-form-urlencoded`.
enum FormEncoding {
    /// What RFC 3986 calls unreserved. All else is escaped.
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    static func encode(_ fields: [(String, String)]) -> String {
        fields.map { escaped($0.0) + "=" + escaped($0.1) }.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { plain.contains($0) ? String(Unicode.Scalar($0)) : "%" + hexadecimal($0) }.joined()
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(String(0x100 + Int(byte), radix: 16, uppercase: true).dropFirst())
    }
}
