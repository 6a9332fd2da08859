extension AuthService {
    /// Adds a refused login or refresh to the audit trail, unless it has an entry of its own or was
    /// not caused by the client.
    func auditRefusal(
        _ refusal: Refusal, _ kind: AuditEvent.Kind, by provider: Provider? = nil, from device: Device
    ) {
        guard let reason = refusal.auditReason else { return }
        refusals.add(AuditEvent(kind, at: primitives.now(), provider: provider, device: device, detail: reason))
    }

    /// Adds an attempt of a disabled user to the audit trail.
    func auditDisabledUser(
        _ user: UserID, _ kind: AuditEvent.Kind, by provider: Provider? = nil, from device: Device
    ) {
        refusals.add(
            AuditEvent(
                kind, at: primitives.now(), userID: user, provider: provider, device: device,
                detail: Refusal.userDisabled.label))
    }
}

extension Refusal {
    /// A stable word for metrics and the audit trail, from a fixed set: the number of metric labels must not depend on
    /// what clients send.
    package var label: String {
        switch self {
        case .identity(let fault, _): fault.reason.rawValue
        case .providerUnavailable(.apple): "apple_keys_unavailable"
        case .providerUnavailable: "provider_unavailable"
        case .providerMisconfigured: "provider_misconfigured"
        case .storageUnavailable: "storage_unavailable"
        case .userDisabled: "user_disabled"
        case .invalidCode: "code"
        case .staleNumber: "stale_number"
        case .invalidDevSecret: "dev_secret"
        case .invalidRefreshToken, .notARefreshToken: "unknown_token"
        case .refreshTokenExpired: "expired_token"
        case .refreshTokenRevoked: "revoked_token"
        case .refreshTokenReused: "reused_token"
        case .invalidProof: "dpop_proof"
        case .loginTooOld, .guardedLoginTooOld: "login_too_old"
        default: "refused"
        }
    }

    /// Nil for refusals that the audit trail does not record here: an expired session, the server's own failures, and
    /// reuse and disabled users, which have entries of their own.
    fileprivate var auditReason: String? {
        switch self {
        case .identity, .invalidCode, .invalidDevSecret, .invalidRefreshToken, .notARefreshToken, .refreshTokenRevoked:
            label
        // The end of the session has an entry of its own.
        case .invalidProof(let fault): fault == .key ? nil : label
        default: nil
        }
    }
}
