/// Where Apple's endpoints for developers are.
package struct AppleAddresses: Sendable, Equatable {
    package let token: String
    package let revocation: String

    package init(token: String, revocation: String) {
        self.token = token
        self.revocation = revocation
    }
}
