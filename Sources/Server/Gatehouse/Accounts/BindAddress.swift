/// A request to add a phone number or a mail address to the caller, with what proves it.
package struct AddressBinding: Sendable {
    /// What happens if the address belongs to another user.
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
    package var onTaken: Taken
    /// Whether the address takes the place of the one that the caller has.
    package var replaces: Bool
    /// The refresh token of the caller's session. A join needs it.
    package var refreshToken: String?

    package init(
        channel: CodeChannel, proof: Proof, onTaken: Taken = .refuse, replaces: Bool = false,
        refreshToken: String? = nil
    ) {
        self.channel = channel
        self.proof = proof
        self.onTaken = onTaken
        self.replaces = replaces
        self.refreshToken = refreshToken
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
        let refreshTokenHash = try refreshTokenHash(in: binding, of: caller)
        let proven = try proven(by: binding, of: caller, now: now, requestID: context.id)
        if binding.onTaken == .join {
            try requireStrength(of: caller, toBind: proven.identity.provider)
            if let limit = policy.sensitiveMaxAge { try requireLogin(of: caller, within: limit, now: now) }
        }
        if binding.onTaken == .join,
            let result = try join(
                caller, holding: refreshTokenHash, provenBy: proven, from: device, now: now, in: &context)
        {
            reportUse(of: binding, requestID: context.id)
            return .joined(result)
        }
        if binding.replaces {
            try requireLoginForChange(of: caller, now: now)
        } else {
            try requireRecentLogin(of: caller, or: proven, now: now)
        }
        try link(proven, replaces: binding.replaces, to: caller, from: device, now: now)
        reportUse(of: binding, requestID: context.id)
        return .bound
    }

    private func proven(
        by binding: AddressBinding, of caller: Caller, now: Timestamp, requestID: String
    ) throws(Refusal) -> ProvenIdentity {
        switch binding.proof {
        case .code(let code):
            let proven = try proven(by: code, now: now, requestID: requestID)
            guard proven.identity.provider == binding.channel.provider else { throw .invalidCode }
            return proven
        case .number(let token):
            // A token is used up by being exchanged, so the caller is checked before as far as that needs no number.
            try requireStrength(of: caller, toBind: .phone)
            if binding.onTaken == .join {
                if let limit = policy.sensitiveMaxAge { try requireLogin(of: caller, within: limit, now: now) }
            } else if binding.replaces {
                try requireLoginForChange(of: caller, now: now)
            }
            return try proven(by: token, now: now, requestID: requestID)
        }
    }

    private func reportUse(of binding: AddressBinding, requestID: String) {
        if case .code = binding.proof { report(.codeUsed(binding.channel), requestID) }
    }

    /// The hash of a refresh token that belongs to the caller's session. Nil without one. Only the join's transaction knows
    /// whether it is the current one.
    private func refreshTokenHash(in binding: AddressBinding, of caller: Caller) throws(Refusal) -> [UInt8]? {
        guard binding.onTaken == .join, let token = binding.refreshToken else { return nil }
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
        if demandsStrength { try requireStrength(of: caller) }
        let limit = min(policy.sensitiveMaxAge ?? Self.changeMaxAge, Self.changeMaxAge)
        try requireLogin(of: caller, within: limit, now: now)
    }

    /// The oldest login that may change an address, unless a setting demands a later one. An attacker who has an access token for some
    /// minutes must not be able to take the account over.
    private static let changeMaxAge = Duration.seconds(3600)
}
