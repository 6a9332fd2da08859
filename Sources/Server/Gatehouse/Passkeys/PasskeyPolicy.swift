/// The relying party of passkeys, as the settings describe it.
package struct PasskeyPolicy: Sendable, Equatable {
    /// The domain to which passkeys belong. It never changes: a passkey of another one cannot be used.
    package let rpID: String
    /// Whose answers are accepted: origins of pages, and `android:apk-key-hash:…` of apps.
    package let origins: [String]
    package var userVerification: UserVerification

    package init(rpID: String, origins: [String], userVerification: UserVerification) {
        self.rpID = rpID
        self.origins = origins
        self.userVerification = userVerification
    }

    /// Whether the authenticator asks for a fingerprint, a face or a PIN.
    package enum UserVerification: String, Sendable, CaseIterable {
        case required
        case preferred
        case discouraged
    }
}
