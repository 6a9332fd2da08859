extension Gatekeeper {
    /// The user as they are now, not as their token remembers them.
    package func currentUser(_ caller: Caller) throws(Refusal) -> User {
        let found = try asking { () throws(StoreFailure) in try store.user(caller.userID) }
        guard let user = found, user.status != .deleted else { throw .sessionRevoked }
        guard user.status == .active else { throw .userDisabled }
        return user
    }
}
