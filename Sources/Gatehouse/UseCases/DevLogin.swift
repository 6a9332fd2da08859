/// A login without a provider, for development.
package struct DevLogin: Sendable {
    package let email: String
    package let secret: String
    package var nickname: String?

    package init(email: String, secret: String, nickname: String? = nil) {
        self.email = email
        self.secret = secret
        self.nickname = nickname
    }
}
