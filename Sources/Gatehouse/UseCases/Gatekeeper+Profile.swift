extension Gatekeeper {
    /// Changes what users may change about themselves.
    package func update(_ change: ProfileChange, of caller: Caller) throws(Refusal) -> User {
        let changed = try asking { () throws(StoreFailure) in
            try store.update(caller.userID, change, now: world.now())
        }
        if let changed { return changed }
        _ = try currentUser(caller)
        // They have become active again between the two looks.
        throw .storageUnavailable
    }
}
