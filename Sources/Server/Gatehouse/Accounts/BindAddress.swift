/// A request to add a phone number or a mail address to the caller, with what proves it.
package struct AddressBinding: Sendable {
    /// What happens if the address, or another identity, belongs to another user.
    package enum Taken: String, Sendable, CaseIterable {
        case refuse
        /// The caller becomes that user.
        case join
    }

    package enum Proof: Sendable {
        case code(PresentedCode)
        /// Of one-tap sign-in.
        case number(NumberToken)
    }

    package let channel: CodeChannel
    package let proof: Proof
    package let onTaken: OnTaken
    /// Whether the address takes the place of the one that the caller has.
    package var replaces: Bool

    package init(
        channel: CodeChannel, proof: Proof, onTaken: Taken = .refuse, replaces: Bool = false,
        refreshToken: String? = nil
    ) {
        (self.channel, self.proof) = (channel, proof)
        self.onTaken = OnTaken(onTaken, refreshToken: refreshToken)
        self.replaces = replaces
    }
}

/// What a request says about an identity of another user.
package struct OnTaken: Sendable {
    package let taken: AddressBinding.Taken
    /// The refresh token of the caller's session. A join needs it.
    package let refreshToken: String?

    package init(_ taken: AddressBinding.Taken = .refuse, refreshToken: String? = nil) {
        (self.taken, self.refreshToken) = (taken, refreshToken)
    }
}

package enum BindingResult: Sendable {
    case bound
    /// The caller is now signed in as the user who had the address.
    case joined(LoginResult)
}

extension AuthService {
    /// Binds an address to the caller. The code is used up by what the request changes, and by nothing else.
    package func bind(
        _ binding: AddressBinding, to caller: Caller, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> BindingResult {
        let now = platform.now()
        // First, so that a refused one costs no try of the code.
        let refreshTokenHash = try refreshTokenHash(in: binding.onTaken, of: caller)
        let proven = try proven(
            by: binding, holding: refreshTokenHash, of: caller, now: now, requestID: context.id)
        let result = try bind(
            proven, replaces: binding.replaces, onTaken: binding.onTaken.taken, holding: refreshTokenHash, to: caller,
            from: device, now: now, in: &context)
        if case .code = binding.proof { reportUse(of: proven, requestID: context.id) }
        return result
    }

    private func proven(
        by binding: AddressBinding, holding refreshTokenHash: [UInt8]?, of caller: Caller, now: Timestamp,
        requestID: String
    ) throws(Refusal) -> ProvenIdentity {
        switch binding.proof {
        case .code(let code):
            let proven = try proven(by: code, now: now, requestID: requestID)
            guard proven.identity.provider == binding.channel.provider else { throw .invalidCode }
            return proven
        case .number(let token):
            // A token is used up by being exchanged, so the caller is checked before as far as that needs no number.
            try requireStrength(of: caller, toBind: .phone)
            if binding.onTaken.taken == .join {
                if let limit = policy.sensitiveMaxAge, !caller.isGuest {
                    try requireLogin(of: caller, within: limit, now: now)
                }
                // The transaction compares it again.
                if let refreshTokenHash {
                    guard let current = try store.session(caller.sessionID)?.session.token.hash,
                        platform.equal(refreshTokenHash, current)
                    else { throw .invalidRefreshToken }
                }
            }
            if binding.replaces {
                try requireLoginForChange(of: caller, now: now)
            }
            return try proven(by: token, now: now, requestID: requestID)
        }
    }

    /// Links an account to the caller. Email addresses play no part in it.
    package func link(
        _ login: IdentityLogin, onTaken: OnTaken = OnTaken(), to caller: Caller, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> BindingResult {
        let now = platform.now()
        // First, because a provider's code can be used once.
        let refreshTokenHash = try refreshTokenHash(in: onTaken, of: caller)
        let proven = try verify(login, now: now, requestID: context.id)
        return try bind(
            proven, onTaken: onTaken.taken, holding: refreshTokenHash, to: caller, from: device, now: now, in: &context)
    }

    private func bind(
        _ proven: ProvenIdentity, replaces: Bool = false, onTaken: AddressBinding.Taken,
        holding refreshTokenHash: [UInt8]?, to caller: Caller, from device: Device, now: Timestamp,
        in context: inout RequestContext
    ) throws(Refusal) -> BindingResult {
        if onTaken == .join {
            try requireStrength(of: caller, toBind: proven.identity.provider)
            if let limit = policy.sensitiveMaxAge, !caller.isGuest {
                try requireLogin(of: caller, within: limit, now: now)
            }
            let result = try join(
                caller, holding: refreshTokenHash, provenBy: proven, from: device, now: now, in: &context)
            if let result { return .joined(result) }
        }
        if replaces {
            try requireLoginForChange(of: caller, now: now)
        } else {
            try requireRecentLogin(of: caller, or: proven, now: now)
        }
        try link(proven, replaces: replaces, to: caller, from: device, now: now, requestID: context.id)
        return .bound
    }

    /// The hash of a refresh token that belongs to the caller's session. Nil without one. Only the join's transaction knows
    /// whether it is the current one.
    private func refreshTokenHash(in onTaken: OnTaken, of caller: Caller) throws(Refusal) -> [UInt8]? {
        guard onTaken.taken == .join, let token = onTaken.refreshToken else { return nil }
        let presented = try readRefreshToken(token)
        guard presented.userID == caller.userID, presented.sessionID == caller.sessionID else {
            throw .invalidRefreshToken
        }
        return presented.hash
    }

    /// Refuses a caller whose login is too old to change or remove an address.
    func requireLoginForChange(
        of caller: Caller, demandsStrength: Bool = true, now: Timestamp
    ) throws(Refusal) {
        if caller.isGuest { return }
        if demandsStrength { try requireStrength(of: caller) }
        let limit = min(policy.sensitiveMaxAge ?? Self.changeMaxAge, Self.changeMaxAge)
        try requireLogin(of: caller, within: limit, now: now)
    }

    /// The oldest login that may change an address, unless a setting demands a later one. An attacker who has an access token for some
    /// minutes must not be able to take the account over.
    private static let changeMaxAge = Duration.seconds(3600)
}
