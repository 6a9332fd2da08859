/// The longest texts that are taken, in bytes of UTF-8.
enum FieldLimit {
    /// An identity token is checked against its own, smaller limit where it is read; the answer to a longer one is
    /// then the same as to any other malformed token.
    static let token = 65_536
    static let authorizationCode = 2048
    static let identifier = 256
    static let nonce = 512
    static let email = 254
    static let name = 200
    static let url = 2048
    static let secret = 1024
}
