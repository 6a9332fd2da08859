/// The user and session that an access token names.
package struct Caller: Sendable, Equatable {
    package let userID: UserID
    package let sessionID: SessionID
    /// The generation of the refresh token that the access token was issued with. 0 for a token that does not contain
    /// it.
    package let generation: Int64
    package let role: Role
    /// The time of the session's login. 1970 for a token that does not contain it: such a login counts as too old.
    package let authenticatedAt: Timestamp

    package init(
        userID: UserID, sessionID: SessionID, generation: Int64, role: Role, authenticatedAt: Timestamp
    ) {
        self.userID = userID
        self.sessionID = sessionID
        self.generation = generation
        self.role = role
        self.authenticatedAt = authenticatedAt
    }
}

extension AuthService {
    /// The caller of a valid access token whose session has not ended. Every guarded request runs this: it reads no
    /// database unless another process has just revoked something, or the role in the token seems out of date.
    package func authenticate(
        _ accessToken: ArraySlice<UInt8>?, in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        let now = primitives.now()
        let caller = try claimedCaller(accessToken, now: now, in: &context)
        try revocations.requireCurrent()
        try revocations.check(caller)
        confirmations.insert(
            caller.sessionID, generation: caller.generation, at: clocks.isInDoubt ? issueTime(at: now) : now)
        return caller
    }

    /// The same, for a caller who has at least the demanded role.
    ///
    /// - Parameter demand: the name of a role, from nginx's configuration; nil when every role will do.
    package func authenticate(
        _ accessToken: ArraySlice<UInt8>?, atLeast demand: String?, in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        guard let demand else { return try authenticate(accessToken, in: &context) }
        // Which users an unknown role should exclude cannot be known, so all are refused.
        guard let least = Role(rawValue: demand) else {
            report(.unknownRoleDemanded(demand), context.id)
            throw .insufficientRole
        }
        let caller = try authenticate(accessToken, in: &context)
        guard caller.role >= least else { throw .insufficientRole }
        return caller
    }

    /// The caller of a valid access token, even if its session has ended.
    func claimedCaller(
        _ accessToken: ArraySlice<UInt8>?, now: Timestamp, in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        guard let accessToken else { throw .noCredentials }
        let caller = try readAccessToken(accessToken, now: now)
        context.identify(caller.userID, caller.sessionID)
        return caller
    }
}
