/// The Services ID with which browsers sign in with Apple.
package struct AppleWebClient: Sendable, Equatable {
    package let id: String
    /// Apple's page.
    package let pageURL: String
    /// Gatehouse's callback, which a code of this client was sent to; nil if the address of this server is not known.
    package let callback: String?

    package static let standardPage = "https://appleid.apple.com/auth/authorize"

    package init(id: String, pageURL: String = Self.standardPage, callback: String?) {
        self.id = id
        self.pageURL = pageURL
        self.callback = callback
    }
}
