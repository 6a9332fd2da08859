/// A token of one-tap sign-in: the carrier gave it to the app, through the library of a vendor, over the SIM's own connection.
package struct NumberToken: Sendable {
    /// Names the vendor to the operator's receiver.
    package let gateway: String
    package let token: String

    package init(gateway: String, token: String) {
        (self.gateway, self.token) = (gateway, token)
    }
}

/// Exchanges tokens of one-tap sign-in for numbers, through the operator's receiver.
package protocol NumberExchange: Sendable {
    /// The number that the carrier confirms. The token is spent before the receiver is asked.
    ///
    /// - Throws: `.identity` for a token that the vendor does not accept, `.providerUnavailable` and `.providerMisconfigured` as
    ///   an `IdentityProvider`, what `Verification.spend` throws, and no other refusal.
    func number(for token: NumberToken, in request: Verification) throws(Refusal) -> PhoneNumber
}

/// What became of a token.
package enum NumberOutcome: String, Sendable, CaseIterable {
    case number
    /// A number of a country, or of a kind, that the settings do not have.
    case notServed = "not_served"
    /// The vendor does not accept the token.
    case refused
    /// The token was used here before, so the receiver was not asked.
    case replayed
    case unavailable
    case misconfigured

    fileprivate init?(_ refusal: Refusal) {
        switch refusal {
        case .countryNotServed: self = .notServed
        case .identity(.replayed, _): self = .replayed
        case .identity: self = .refused
        case .providerUnavailable: self = .unavailable
        case .providerMisconfigured: self = .misconfigured
        // The store has failed, and counts that itself.
        default: return nil
        }
    }
}

extension AuthService {
    package var hasNumbers: Bool { numbers != nil }

    /// Logs in by a token of one-tap sign-in. An unknown number becomes a new user.
    package func logIn(
        by token: NumberToken, nickname: String?, boundBy keyProof: SentProof? = nil, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        do throws(Refusal) {
            let now = platform.now()
            // First, because a token can be used once, and a client whose proof is refused for its nonce sends its login again.
            let key = try provenKey(of: keyProof, now: now, in: context)
            let proven = try proven(by: token, now: now, requestID: context.id)
            return try openSession(
                for: proven, nickname: nickname, boundTo: key, from: device, now: now, in: &context)
        } catch {
            throw refusedLogin(error, by: .phone, from: device, in: context)
        }
    }

    /// What a token proves: the same as a code that was sent to its number.
    func proven(by token: NumberToken, now: Timestamp, requestID: String) throws(Refusal) -> ProvenIdentity {
        guard let numbers else { throw .unknownProvider }
        do throws(Refusal) {
            let number = try numbers.number(
                for: token, in: Verification(now: now, requestID: requestID, codes: self))
            let address = CodeAddress(.phone, try servedForm(of: number, permitsTestCodes: false))
            report(.numberAsked(.number), requestID)
            // No method: RFC 8176 has no word for what a carrier knows of a SIM.
            return ProvenIdentity(
                identity: Identity(codeAddress: address), clientID: policy.defaultClientID, issuedAt: now,
                redemption: Redemption(
                    // The token itself is spent already. This is what the login or the join uses up.
                    tokenHash: tokens.hash("number \(token.token)"), moment: now,
                    expiresAt: now + Redemption.codeLifetime))
        } catch {
            // The request has no number that could be wrong: by codes, none of its kind could be proven either.
            let refusal = if case .invalidAddress = error { Refusal.countryNotServed } else { error }
            if let outcome = NumberOutcome(refusal) { report(.numberAsked(outcome), requestID) }
            throw refusal
        }
    }
}
