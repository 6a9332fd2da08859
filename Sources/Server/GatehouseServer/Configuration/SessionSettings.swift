import Gatehouse
import OpenSSL

/// Sessions and their tokens, the audit trail, and the policy about Apple.
package struct SessionSettings: Sendable {
    package let developmentSecret = Setting(
        "DEV_LOGIN_SECRET", .developmentSecret, secret: true,
        "Secret of the development login, which `APP_ENV=development` enables.")
    let accessTokenLifetime = Setting(
        "ACCESS_TOKEN_TTL", .duration(.seconds(1)...Policy.longestAccessTokenLifetime), default: "15m",
        "Lifetime of an access token.")
    let refreshTokenLifetime = Setting(
        "REFRESH_TOKEN_TTL", .duration(.seconds(1)...(.day * 3650)), default: "30d",
        "Lifetime of a session after its last refresh.")
    let sessionMaximumAge = Setting(
        "SESSION_MAX_AGE", .duration(.seconds(1)...(.day * 3650)), default: "365d",
        "Lifetime of a session after its login.")
    let reuseGrace = Setting(
        "REFRESH_REUSE_GRACE", .duration(.zero...(.seconds(3600))), default: "30s",
        "Time in which a refresh can be repeated after its answer was used.",
        details: """
            Requests that race may arrive late, also after several other refreshes. Any later use of an old token is \
            treated as theft.
            """)
    let lostAnswer = Setting(
        "REFRESH_LOST_ANSWER", .duration(.zero...(.day * 3650)),
        "Time in which a refresh can be repeated while its answer is unused.",
        details: "If it is not set, this is possible for as long as the session lives: a lost answer logs no user out.")
    let auditRetention = Setting(
        "AUDIT_RETENTION", .duration(.day...(.day * 3650)), default: "90d", "Retention of the audit trail.")
    let sensitiveStrength = Setting(
        "SENSITIVE_ACR", .oneOf(LoginStrength.self), default: LoginStrength.single.rawValue,
        "`acr` of the weakest login that may link, unlink and delete.",
        details: """
            With `urn:gatehouse:2` only a passkey with user verification may: a user without one has to add one first \
            ([strong login](API.md#strong-login)).
            """)
    let sensitiveMaxAge = Setting(
        "SENSITIVE_MAX_AGE", .durationOrZero(atMost: .day * 365), default: "0",
        "Maximum age of the login for linking, unlinking and deleting.",
        details: "`0` is no limit ([recent login](API.md#recent-login)).")
    let sessionsPerUser = Setting(
        "SESSIONS_PER_USER", .number(1...10_000), default: "100", "Maximum number of active sessions of a user.",
        details: "A login beyond it ends the least recently used session.")
    let guests = Setting(
        "GUESTS", .oneOf(GuestPolicy.Access.self), default: "off",
        "Whether apps may sign in users without an account.",
        details: """
            `bound`: with the key of the device, and the same key is the same [guest](API.md#guests). `open`: also without one, \
            and then each login makes a guest. A client and its network get as many guests as codes (`CODES_PER_CLIENT`, \
            `CODES_PER_NETWORK`).
            """)
    let guestLifetime = Setting(
        "GUEST_TTL", .duration(.seconds(1)...(.day * 3650)), default: "30d",
        "Time without a login or refresh after which a guest is deleted.",
        details: "Services are told by `user.deleted`.")
    let dpopGuard = Setting(
        "DPOP_GUARD", .oneOf(DPoPPolicy.Guard.self), default: "optional",
        "What the guard asks of access tokens that are bound to a key.",
        details: """
            `optional`: a proof that is sent must be right, and the scheme `DPoP` demands one. `required`: the scheme `DPoP` \
            with a right proof. `off`: an earlier name of `optional`. It also holds for each GET of `/api/users/me` and its \
            accounts, and has no effect on sessions that are not [bound](API.md#bound-sessions).
            """)
    let dpopNonce = Setting(
        "DPOP_NONCE", .oneOf(DPoPNonceRule.self), default: "off",
        "Whether proofs must contain a nonce of the server.",
        details: """
            With `required`, an attacker who can use a client's key for a moment cannot sign proofs for a later time. A \
            nonce is valid for 5 minutes: a client whose nonce has expired gets 401 with a new one, and sends its request \
            again.
            """
    )
    let replayGrace = Setting(
        "APPLE_REPLAY_GRACE", .duration(.zero...(.seconds(600))), default: "60s",
        "Time in which one identity token can be sent again.")
    let consentPolicy = Setting(
        "APPLE_ON_CONSENT_REVOKED", .oneOf(ConsentPolicy.self), default: "unlink",
        "Treatment of an account when Apple reports a revoked consent.",
        details: """
            `keep`: it stays as it is. `unlink`: the login with Apple is removed, and the account is deleted if it has no \
            other login. `delete`: the account is deleted. In each case the sessions that Apple opened end; with the account, all end.
            """)
}

/// The values of `DPOP_NONCE`.
enum DPoPNonceRule: String, Sendable, CaseIterable {
    case off
    case required
}

extension SettingReader<Settings> {
    mutating func policy(
        developmentSecretHash: [UInt8]?, at publicAddress: PublicAddressSetting, web: WebPolicy,
        services: ServiceAccess, passkeys: PasskeyPolicy?
    ) -> Policy {
        let (sensitiveMaxAge, stale) = (self[\.sessions.sensitiveMaxAge], self[\.codes.phoneStaleAfter])
        var policy = Policy(
            accessTokenLifetime: self[\.sessions.accessTokenLifetime],
            refresh: RefreshPolicy(
                tokenLifetime: self[\.sessions.refreshTokenLifetime],
                sessionMaximumAge: self[\.sessions.sessionMaximumAge],
                reuseGrace: self[\.sessions.reuseGrace], lostAnswer: self[\.sessions.lostAnswer]),
            devSecretHash: developmentSecretHash, defaultClientID: self[\.apple.bundleIDs]?.first ?? "",
            auditRetention: self[\.sessions.auditRetention],
            sensitiveMaxAge: sensitiveMaxAge == .zero ? nil : sensitiveMaxAge,
            sensitiveStrength: self[\.sessions.sensitiveStrength],
            sessionsPerUser: self[\.sessions.sessionsPerUser],
            apple: ApplePolicy(onConsentRevoked: self[\.sessions.consentPolicy]),
            dpop: DPoPPolicy(
                atGuard: self[\.sessions.dpopGuard], requiresNonce: self[\.sessions.dpopNonce] == .required,
                origin: publicAddress.originOfProofs(web).flatMap { ProofURL.Origin($0) }),
            codes: codePolicy,
            phone: PhonePolicy(binding: self[\.codes.phoneBinding], staleAfter: stale == .zero ? nil : stale), web: web,
            services: services, passkeys: passkeys,
            tellsOwners: self[\.delivery.accountNotices] == .on && isSet(\.delivery.smtpURL))
        policy.support = supportPolicy
        policy.guests = GuestPolicy(access: self[\.sessions.guests], lifetime: self[\.sessions.guestLifetime])
        policy.attributes = attributePolicy()
        return policy
    }

    /// Nil if the development login is disabled: in production its secret is not used, and may have any value.
    mutating func developmentSecretHash() -> [UInt8]? {
        guard let secret = self[\.sessions.developmentSecret] else { return nil }
        let name = Settings.table.sessions.developmentSecret.name
        guard self[\.process.environment] == .development, !AppEnvironment.isProduction(self[\.process.nodeEnvironment])
        else {
            warn("\(name) is ignored: this is production")
            return nil
        }
        // A developer may type it.
        let fault = secret.fault(atLeast: Configuration.minimumDevelopmentSecretBytes, isWeak: \.isRepetitive)
        guard let fault else {
            return SHA256.hash(secret.bytes)
        }
        addFault(name, fault)
        return nil
    }
}

/// Warnings about values that are allowed but make little sense, alone or together.
struct SettingWarnings {
    private static let (minute, hour, week) = (
        Duration.seconds(60), Duration.seconds(3600), Duration.seconds(7 * 86_400)
    )

    private let policy: Policy
    private let table = Settings.table

    static func about(_ policy: Policy) -> [String] {
        let warnings = SettingWarnings(policy: policy)
        return
            (warnings.tokenLifetimes + [warnings.reuseGrace] + warnings.sensitiveMaxAge
            + [warnings.sensitiveStrength, warnings.guestLifetime, warnings.auditRetention])
            .compactMap { $0 }
    }

    private var tokenLifetimes: [String?] {
        let (refresh, access) = (policy.refresh, policy.accessTokenLifetime)
        return [
            warning(
                of: table.sessions.accessTokenLifetime, if: access < Self.minute,
                "is \(access.setting): apps refresh before nearly every request"),
            warning(
                of: table.sessions.refreshTokenLifetime, if: refresh.tokenLifetime < Self.hour,
                "is \(refresh.tokenLifetime.setting): users sign in again after each pause of that length"),
            warning(
                of: table.sessions.refreshTokenLifetime, if: refresh.tokenLifetime <= access,
                "(\(refresh.tokenLifetime.setting)) is not longer than \(table.sessions.accessTokenLifetime.name) (\(access.setting)): a "
                    + "session ends before its access token has to be refreshed"),
            warning(
                of: table.sessions.sessionMaximumAge, if: refresh.sessionMaximumAge < refresh.tokenLifetime,
                "(\(refresh.sessionMaximumAge.setting)) is shorter than \(table.sessions.refreshTokenLifetime.name) "
                    + "(\(refresh.tokenLifetime.setting)): sessions end earlier than the latter says"),
        ]
    }

    private var reuseGrace: String? {
        let grace = policy.refresh.reuseGrace
        return warning(
            of: table.sessions.reuseGrace, if: grace > min(policy.accessTokenLifetime, policy.refresh.tokenLifetime),
            "(\(grace.setting)) is longer than the lifetime of a token: the theft of a refresh token is noticed late or "
                + "never")
    }

    private var sensitiveMaxAge: [String?] {
        guard let age = policy.sensitiveMaxAge else { return [] }
        return [
            warning(
                of: table.sessions.sensitiveMaxAge, if: age < Self.minute,
                "is \(age.setting): hardly any login is recent enough; 0 demands no recent login, 10m is usual"),
            warning(
                of: table.sessions.sensitiveMaxAge, if: age >= policy.refresh.sessionMaximumAge,
                "(\(age.setting)) is not shorter than \(table.sessions.sessionMaximumAge.name): it has no effect"),
        ]
    }

    private var sensitiveStrength: String? {
        guard policy.sensitiveStrength != .single, policy.passkeys == nil else { return nil }
        return
            "\(table.sessions.sensitiveStrength.name) is \(policy.sensitiveStrength.rawValue), which only passkeys with user "
            + "verification reach: set PASSKEY_RP_ID, or no user can change or delete an account"
    }

    private var guestLifetime: String? {
        let (guest, token) = (policy.guests.lifetime, policy.refresh.tokenLifetime)
        guard policy.guests.access != .off else { return nil }
        return warning(
            of: table.sessions.guestLifetime, if: guest < token,
            "(\(guest.setting)) is shorter than \(table.sessions.refreshTokenLifetime.name) (\(token.setting)): guests are deleted "
                + "whose sessions have not expired")
    }

    private var auditRetention: String? {
        warning(
            of: table.sessions.auditRetention, if: policy.auditRetention < Self.week,
            "is \(policy.auditRetention.setting): the records of an incident may be deleted before an operator looks for "
                + "them")
    }

    /// Nil if the value makes sense.
    private func warning(
        of row: some SettingRow, if isDoubtful: Bool, _ message: @autoclosure () -> String
    ) -> String? {
        guard isDoubtful else { return nil }
        let text = "\(row.name) \(message())"
        guard case .text(let standard) = row.defaultValue, standard != "0" else { return text }
        return "\(text); the default is \(standard)"
    }
}
