extension Gatekeeper {
    /// Runs a login; if it is refused, notes by whom.
    func notingRefusal<Result>(
        of provider: Provider, from device: Device, _ login: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        do throws(Refusal) { return try login() } catch {
            notice(.loginRefused(provider, error))
            if let reason = error.auditReason {
                refusals.add(
                    AuditEvent(.loginRefused, at: world.now(), provider: provider, device: device, detail: reason))
            }
            throw error
        }
    }

    /// Runs a refresh; if it is refused, notes by whom.
    func notingRefusal<Result>(
        from device: Device, _ refresh: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        do throws(Refusal) { return try refresh() } catch {
            notice(.refreshRefused(error))
            if let reason = error.auditReason {
                refusals.add(AuditEvent(.refreshRefused, at: world.now(), device: device, detail: reason))
            }
            throw error
        }
    }

    /// Notes that somebody who is kept out has tried to come in.
    func noteDisabled(_ user: UserID, _ kind: AuditEvent.Kind, by provider: Provider? = nil, from device: Device) {
        refusals.add(
            AuditEvent(
                kind, at: world.now(), userID: user, provider: provider, device: device, detail: "user_disabled"))
    }
}

extension Refusal {
    /// What the audit trail says; nil where there is nothing to note: a session's life is over by itself, a
    /// reuse and a disabled user have their own entries, or the fault is on our side.
    fileprivate var auditReason: String? {
        switch self {
        case .appleToken(let fault): fault.rawValue
        case .invalidDevSecret: "dev_secret"
        case .invalidRefreshToken: "unknown_token"
        case .refreshTokenRevoked: "revoked_token"
        default: nil
        }
    }
}
