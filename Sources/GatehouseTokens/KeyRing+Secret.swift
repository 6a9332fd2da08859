package import JOSE
import OpenSSL

extension KeyRing {
    /// HS256 keys from secrets as an operator writes them down. Throws for one that is too short.
    package init(secret: [UInt8], previous: [UInt8]? = nil) throws(JOSEError) {
        var older: [SigningKey] = []
        if let previous { older.append(try Self.key(of: previous)) }
        self.init(current: try Self.key(of: secret), previous: older)
    }

    /// The key id tells two secrets apart and says nothing of either: it is a keyed hash of a constant.
    private static func key(of secret: [UInt8]) throws(JOSEError) -> SigningKey {
        guard secret.count >= VerificationKey.minimumSecretByteCount else {
            throw .unusableKey("the secret is too short")
        }
        let mark = HMACSHA256Key(secret).authenticate(Array("gatehouse key id".utf8))
        return try SigningKey(hmacSecret: secret, keyID: Base64URL.encode(Array(mark.prefix(6))))
    }
}
