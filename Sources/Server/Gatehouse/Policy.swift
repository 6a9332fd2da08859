/// The rules of one installation. A reload may replace them between two requests.
package struct Policy: Sendable {
    /// The upper limit of `accessTokenLifetime` for every installation and every configuration.
    package static let longestAccessTokenLifetime = Duration.seconds(86_400)

    /// How long a revocation is kept in memory. Access tokens may have been issued under an earlier configuration, and
    /// up to a moment after the revocation, so this is longer than any access token lives.
    static let revocationMemory = longestAccessTokenLifetime + .seconds(60)

    package var accessTokenLifetime: Duration
    package var refresh: RefreshPolicy
    /// SHA-256 of the secret for the development login; nil disables it.
    package var devSecretHash: [UInt8]?
    /// The `client_id` of sessions whose provider does not name one.
    package var defaultClientID: String
    package var auditRetention: Duration
    /// The oldest login that may link, unlink or delete an account; nil when any login may.
    package var sensitiveMaxAge: Duration?
    /// The weakest login that may do the same.
    package var sensitiveStrength: LoginStrength
    /// The most sessions that one user may have at a time.
    package var sessionsPerUser: Int
    package var apple: ApplePolicy
    package var dpop: DPoPPolicy
    package var codes: CodePolicy
    package var phone: PhonePolicy
    package var guests: GuestPolicy
    package var web: WebPolicy
    package var services: ServiceAccess
    /// Nil if passkeys are off.
    package var passkeys: PasskeyPolicy?
    /// Whether owners are told of new devices and of other changes of their accounts.
    package var tellsOwners: Bool
    /// Nil if there is no API for support.
    package var support: SupportPolicy?
    package var attributes = AttributePolicy()

    package init(
        accessTokenLifetime: Duration, refresh: RefreshPolicy, devSecretHash: [UInt8]?, defaultClientID: String,
        auditRetention: Duration, sensitiveMaxAge: Duration?,
        sensitiveStrength: LoginStrength = .single, sessionsPerUser: Int, apple: ApplePolicy,
        dpop: DPoPPolicy = DPoPPolicy(), codes: CodePolicy = CodePolicy(), phone: PhonePolicy = PhonePolicy(),
        guests: GuestPolicy = GuestPolicy(),
        web: WebPolicy = WebPolicy(), services: ServiceAccess = ServiceAccess(), passkeys: PasskeyPolicy? = nil,
        tellsOwners: Bool = false
    ) {
        self.accessTokenLifetime = accessTokenLifetime
        self.refresh = refresh
        self.devSecretHash = devSecretHash
        self.defaultClientID = defaultClientID
        self.auditRetention = auditRetention
        self.sensitiveMaxAge = sensitiveMaxAge
        self.sensitiveStrength = sensitiveStrength
        self.sessionsPerUser = sessionsPerUser
        self.apple = apple
        self.dpop = dpop
        self.codes = codes
        self.phone = phone
        self.guests = guests
        self.web = web
        self.services = services
        self.passkeys = passkeys
        self.tellsOwners = tellsOwners
    }
}

/// The rules for Sign in with Apple.
package struct ApplePolicy: Sendable, Equatable {
    package var onConsentRevoked: ConsentPolicy

    package init(onConsentRevoked: ConsentPolicy) {
        self.onConsentRevoked = onConsentRevoked
    }
}

/// What happens to an account when its user withdraws consent at Apple. The sessions that Apple opened end in every case;
/// with the user, all end.
package enum ConsentPolicy: String, Sendable, CaseIterable {
    /// The user can sign in again as the same user.
    case keep
    /// The Apple account is unlinked. A user with no other way to sign in is deleted.
    case unlink
    case delete
}
