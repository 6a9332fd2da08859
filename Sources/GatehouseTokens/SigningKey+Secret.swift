package import JOSE
import OpenSSL

extension SigningKey {
    /// An HS256 key from a secret as an operator writes it down. Throws for one that is too short.
    ///
    /// The key id tells two secrets apart and says nothing of either: it is a keyed hash of a constant.
    package init(writtenSecret secret: [UInt8]) throws(JOSEError) {
        guard secret.count >= VerificationKey.minimumSecretByteCount else {
            throw .unusableKey("the secret is too short")
        }
        let mark = HMACSHA256Key(secret).authenticate(Array("gatehouse key id".utf8))
        try self.init(hmacSecret: secret, keyID: Base64URL.encode(Array(mark.prefix(6))))
    }
}
