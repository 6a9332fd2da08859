import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// What proves that the app which exchanges a code is the one that started the sign-in (RFC 7636, PKCE).
package struct CodeVerifier: Sendable {
    package let text: String

    /// Of 32 random bytes.
    package init() { self.init(.random) }

    package init(_ text: String) { self.text = text }

    /// With the method `S256`.
    package var challenge: String { Self.sha256(Data(text.utf8)).base64URL }

    #if canImport(CryptoKit)
        private static func sha256(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }
    #else
        private static func sha256(_ data: Data) -> Data { PortableSHA256.hash(data) }
    #endif
}

extension String {
    /// 32 bytes of the system's generator, which is made for cryptography, in base64url.
    static var random: String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64URL
    }
}
