/// The means to deal with Apple's servers, for an installation that has been given credentials.
package struct AppleDesk: Sendable {
    package let server: any AppleServer
    package let vault: any Vault

    package init(server: any AppleServer, vault: any Vault) {
        self.server = server
        self.vault = vault
    }

    /// Asks what a task says. An exchange has a grant for its answer, a revocation none.
    func ask(_ task: AppleTask, now: Timestamp) -> Result<AppleGrant?, AppleServerFault> {
        guard let secret = vault.open(task.sealed, for: task.userID) else {
            return .failure(.credentialsRefused("DATA_KEY"))
        }
        do throws(AppleServerFault) {
            switch task.kind {
            case .exchange:
                return .success(try server.exchange(code: secret, for: task.clientID, now: now))
            case .revoke:
                try server.revoke(refreshToken: secret, of: task.clientID, now: now)
                return .success(nil)
            }
        } catch {
            return .failure(error)
        }
    }
}
