extension Gatekeeper {
    /// The exchange of a code, where there is one and we have the means.
    func exchange(_ code: String?, of user: UserID, for clientID: String, now: Timestamp) -> AppleTask? {
        guard let code, let desk else { return nil }
        return AppleTask(
            kind: .exchange, userID: user, clientID: clientID, sealed: desk.vault.seal(code, for: user), dueAt: now,
            expiresAt: now + AppleTask.codeLifetime)
    }

    /// Asks Apple the next thing that is due. False where there is nothing.
    package func serveAppleQueue() throws(StoreFailure) -> Bool {
        guard let desk, let task = try store.takeAppleTask(now: world.now()) else { return false }
        switch desk.ask(task, now: world.now()) {
        case .success(let grant?):
            let sealed = desk.vault.seal(grant.refreshToken, for: task.userID)
            try store.finish(task, with: sealed, of: grant.subject, now: world.now())
            notice(.appleTaskDone(task.kind))
        case .success(nil):
            try store.finish(task)
            notice(.appleTaskDone(task.kind))
        case .failure(let fault):
            notice(.appleTaskFailed(task.kind, fault, of: task.userID))
            // All other faults may be over by the next attempt.
            if fault == .grantRefused { try store.finish(task) }
        }
        return true
    }
}
