import JOSE
import OpenSSL

extension KeyRing {
    /// HS256 keys from secrets as an operator writes them down.
    package init(secret: [UInt8], previous: [UInt8]? = nil) {
        self.init(
            current: Self.key(of: secret),
            previous: previous.map { [Self.key(of: $0)] } ?? [])
    }

    /// The key id tells two secrets apart and says nothing of either: it is a keyed hash of a constant.
    private static func key(of secret: [UInt8]) -> SigningKey {
        let mark = HMACSHA256Key(secret).authenticate(Array("gatehouse key id".utf8))
        return SigningKey(hmacSecret: secret, keyID: Base64URL.encode(Array(mark.prefix(6))))
    }
}
