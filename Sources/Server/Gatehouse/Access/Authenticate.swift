import Text

extension AuthService {
    /// The caller of a valid access token whose session has not ended. Every guarded request runs this: it reads no
    /// database unless another process has just revoked something, or the role in the token seems out of date.
    ///
    /// - Parameters:
    ///   - proof: read only if the token is bound to a key.
    ///   - admitsWithoutPhone: whether a user without the phone number that the settings require may do this.
    package func authenticate(
        _ accessToken: SentAccessToken?, proof: @autoclosure () -> SentProof?, admitsWithoutPhone: Bool = false,
        in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        let now = platform.now()
        var caller = try claimedCaller(accessToken, now: now, in: &context)
        if let accessToken, caller.keyThumbprint != nil || accessToken.scheme == .dpop {
            try checkAtGuard(caller, accessToken, proof(), now: now, in: context)
        }
        try requireActive(&caller)
        confirm(caller, at: now)
        if !admitsWithoutPhone { try requirePhone(of: caller) }
        return caller
    }

    /// The token says so, or the number was removed since. After the user has bound a number, the client refreshes. A guest
    /// needs none: the first account makes them a user, and then they do.
    func requirePhone(of caller: Caller) throws(Refusal) {
        guard case .required = policy.phone.binding, !caller.isGuest else { return }
        if caller.needsPhone { throw .phoneRequired }
        if try revocations.hasLostNumber(caller) { throw .phoneRequired }
    }

    /// Refuses a caller whose session has ended. A token from before a guest became a user counts as the user's.
    func requireActive(_ caller: inout Caller) throws(Refusal) {
        try revocations.requireCurrent()
        try revocations.check(caller)
        if caller.isGuest { caller.isGuest = try revocations.isGuest(caller) }
    }

    /// Records that the tokens of the caller's generation have reached their client.
    func confirm(_ caller: Caller, at now: Timestamp) {
        confirmations.insert(
            caller.sessionID, generation: caller.generation, at: clocks.isInDoubt ? issueTime(at: now) : now)
    }

    /// The same, for a caller who meets what nginx's configuration demands.
    ///
    /// - Parameters:
    ///   - role: the name of the least role, or of one of the operator's own; nil when every role will do.
    ///   - login: the most seconds since the login, in digits, `acr=` with the `acr` of the weakest login, or both with a
    ///     blank between them; nil when every login will do.
    ///   - admitsGuests: whether guests may pass.
    package func authenticate(
        _ accessToken: SentAccessToken?, proof: @autoclosure () -> SentProof?, atLeast role: String?,
        since login: String?, admitsGuests: Bool = false, in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        guard role != nil || login != nil else {
            let caller = try authenticate(accessToken, proof: proof(), in: &context)
            guard !caller.isGuest || admitsGuests else { throw .guest }
            return caller
        }
        let least = try demandedRole(role, in: context)
        let (limit, weakest) = try demandedLogin(login, in: context)
        let caller = try authenticate(accessToken, proof: proof(), in: &context)
        guard !caller.isGuest || admitsGuests else { throw .guest }
        guard least.permits(caller) else { throw .insufficientRole }
        // Before the age, because a stronger login is a new one.
        guard caller.strength >= weakest else { throw .insufficientAuthentication(weakest) }
        if let limit, caller.authenticatedAt < platform.now() - limit { throw .guardedLoginTooOld(limit: limit) }
        return caller
    }

    /// It is not known which users an unknown role should exclude, so all are refused.
    private func demandedRole(_ name: String?, in context: RequestContext) throws(Refusal) -> DemandedRole {
        guard let name else { return .atLeast(.user) }
        if let role = DemandedRole(name, policy.attributes) { return role }
        report(.unknownRoleDemanded(name), context.id)
        throw .insufficientRole
    }

    /// The same for what is neither a number nor an `acr`. 401 would make clients ask their users to log in again and again.
    private func demandedLogin(
        _ text: String?, in context: RequestContext
    ) throws(Refusal) -> (maximumAge: Duration?, weakest: LoginStrength) {
        var (limit, weakest): (Duration?, LoginStrength) = (nil, .single)
        guard let text else { return (limit, weakest) }
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let isNumber = (1...9).contains(word.utf8.count) && word.utf8.allSatisfy { $0.isDigit }
            if isNumber, let seconds = Int64(word) {
                limit = min(limit ?? .seconds(seconds), .seconds(seconds))
            } else if word.hasPrefix("acr="), let strength = LoginStrength(rawValue: String(word.dropFirst(4))) {
                weakest = max(weakest, strength)
            } else {
                report(.unknownLoginDemanded(text), context.id)
                throw .insufficientRole
            }
        }
        return (limit, weakest)
    }

    /// The caller of a valid access token, even if its session has ended.
    func claimedCaller(
        _ accessToken: SentAccessToken?, now: Timestamp, in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        guard let accessToken else { throw .noCredentials }
        let caller = try readAccessToken(accessToken.bytes, now: now)
        context.identify(caller.userID, caller.sessionID)
        return caller
    }
}

/// A role that nginx's configuration demands.
private enum DemandedRole {
    case atLeast(Role)
    /// One of the operator's own. They have no order, so an administrator has it only if it was given to them.
    case named(String)

    /// Nil for a name that is no role.
    init?(_ name: String, _ policy: AttributePolicy) {
        if let role = Role(rawValue: name) {
            self = .atLeast(role)
        } else if policy.roles.contains(name) {
            self = .named(name)
        } else {
            return nil
        }
    }

    func permits(_ caller: Caller) -> Bool {
        switch self {
        case .atLeast(let role): caller.role >= role
        case .named(let name): caller.attributes.hasRole(name)
        }
    }
}

extension AuthService {
    /// Whether a role exists that nginx's configuration demands.
    package func isRole(_ name: String) -> Bool { DemandedRole(name, policy.attributes) != nil }
}
