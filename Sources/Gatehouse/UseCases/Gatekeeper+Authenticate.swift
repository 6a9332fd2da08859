extension Gatekeeper {
    /// Who sent this access token. Touches no disk, unless another process has just ended something: this is on the
    /// way of every guarded request.
    package func authenticate(_ accessToken: ArraySlice<UInt8>?) throws(Refusal) -> Caller {
        let caller = try claimedCaller(accessToken, now: world.now())
        try asking { () throws(StoreFailure) in try revocations.catchUpIfSigned() }
        try revocations.admit(caller)
        return caller
    }

    /// Whom a genuine access token names, even if their session has ended since.
    func claimedCaller(_ accessToken: ArraySlice<UInt8>?, now: Timestamp) throws(Refusal) -> Caller {
        guard let accessToken else { throw .noCredentials }
        let caller = try tokens.readAccessToken(accessToken, now: now)
        notice(.recognised(caller.userID, caller.sessionID))
        return caller
    }
}
