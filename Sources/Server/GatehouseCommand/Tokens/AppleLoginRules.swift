import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseTokens
import IdentityProviders

/// Which logins `apple verify` accepts: those that the options describe, or those that the configuration accepts.
struct AppleLoginRules {
    let policy: IdentityTokenPolicy
    /// Nil if the options describe the rules without challenges.
    let challenges: ChallengeRule?

    init(_ arguments: Arguments, configuration: @autoclosure () -> SettingSource = .current()) throws(CommandError) {
        let audiences = arguments.all("--audience")
        guard audiences.isEmpty || arguments.has("--challenge") else {
            policy = Self.policy(audiences, arguments)
            challenges = nil
            return
        }
        let source = configuration()
        var policy = audiences.isEmpty ? try Self.policy(source, arguments) : Self.policy(audiences, arguments)
        if arguments.has("--challenge") { policy.nonce = .challenge }
        // A notification has no nonce.
        let isRequired = policy.nonce == .challenge && !arguments.has("--notification")
        challenges = try ChallengeRule(isRequired: isRequired, source)
        self.policy = policy
    }

    private static func policy(_ audiences: [String], _ arguments: Arguments) -> IdentityTokenPolicy {
        let issuers = arguments.all("--issuer")
        return IdentityTokenPolicy(
            issuers: issuers.isEmpty ? [IdentityTokenPolicy.appleIssuer] : issuers, audiences: audiences)
    }

    private static func policy(
        _ source: SettingSource, _ arguments: Arguments
    ) throws(CommandError) -> IdentityTokenPolicy {
        var policy: IdentityTokenPolicy
        do { policy = try Configuration.identityTokens(from: source) } catch {
            throw CommandError(
                .usage, "the configuration is not usable; give --audience ID to verify without it",
                details: error.faults.map(\.description))
        }
        if arguments.has("--issuer") { policy.issuers = arguments.all("--issuer") }
        return policy
    }
}

/// The rule for nonces of the challenge endpoint.
struct ChallengeRule {
    let isRequired: Bool
    /// The secrets that authenticate challenges; nil if the configuration has none.
    let keys: KeyRing?

    fileprivate init(isRequired: Bool, _ source: SettingSource) throws(CommandError) {
        self.isRequired = isRequired
        guard isRequired else {
            keys = Configuration.refreshKeysIfReadable(from: source)
            return
        }
        keys = try readSettings { () throws(SettingFaults) in try Configuration.refreshKeys(from: source) }
        guard keys != nil else {
            throw CommandError(
                .usage,
                "a nonce of the challenge endpoint can be verified only with JWT_REFRESH_SECRET: set it, or "
                    + "JWT_REFRESH_SECRET_FILE, as for the server")
        }
    }

    func challenge(_ nonce: String?) -> Challenge? {
        guard let nonce, let keys else { return nil }
        return JWTTokenService.challenge(nonce, by: keys)
    }

    func check(_ credential: IdentityCredential, now: Timestamp) throws(IdentityFault) {
        let challenge = challenge(credential.nonce)
        let fault = Challenge.fault(of: challenge, sentAs: credential.nonce, isRequired: isRequired, now: now)
        if let fault { throw .nonce(fault) }
    }
}
