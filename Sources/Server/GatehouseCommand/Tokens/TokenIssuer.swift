import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseTokens
import IdentityProviders
import JOSE
import POSIX

/// A provider of identity tokens as `identity verify` knows it: what the configuration says, or what the options describe.
struct TokenIssuer {
    let name: Provider
    let rules: TokenRules
    /// What is said about the checks that depend on the server.
    let server: ServerChecks
    private let address: KeySetAddress?

    enum ServerChecks {
        /// The options describe the rules, and no installation.
        case none
        /// Only the server can make them.
        case unknown
        case challenges(ChallengeRule)
    }

    /// - Parameter name: of a file in `PROVIDERS_DIR`, from the command line.
    init(file name: String) throws(CommandError) {
        guard let provider = try readProviders().first(where: { $0.name.lowercaseName == name }) else {
            throw CommandError(.usage, "no provider has the name \(name.printable): gatehouse providers list")
        }
        guard let openID = provider.openID else {
            throw CommandError(
                .usage, "\(name.printable) has no identity tokens: its kind is \(provider.kind)")
        }
        (self.name, rules, address, server) = (provider.name, openID.rules, openID.keys, .unknown)
    }

    /// Apple, by the configuration unless the options have an audience.
    init(
        apple arguments: Arguments, configuration: @autoclosure () -> SettingSource = .current()
    ) throws(CommandError) {
        let (audiences, issuers) = (arguments.all("--audience"), arguments.all("--issuer"))
        name = .apple
        guard audiences.isEmpty || arguments.has("--challenge") || arguments.value("--jwks") == nil else {
            rules = .apple(issuers: issuers.isEmpty ? [TokenRules.appleIssuer] : issuers, audiences: audiences)
            (server, address) = (.none, nil)
            return
        }
        let source = configuration()
        var rules = audiences.isEmpty ? try Self.appleRules(source) : .apple(audiences: audiences)
        if !issuers.isEmpty { rules.issuers = issuers }
        if arguments.has("--challenge") { rules.nonce = .challenge }
        // A notification has no nonce.
        let isRequired = rules.nonce == .challenge && !arguments.has("--notification")
        server = .challenges(try ChallengeRule(isRequired: isRequired, source))
        address = arguments.value("--jwks") == nil ? .keySet(url: try Self.appleKeysURL(source)) : nil
        self.rules = rules
    }

    private static func appleRules(_ source: SettingSource) throws(CommandError) -> TokenRules {
        do { return try Configuration.identityTokens(from: source) } catch {
            throw CommandError(
                .usage, "the configuration is not usable; give --audience ID to verify without it",
                details: error.faults.map(\.description))
        }
    }

    private static func appleKeysURL(_ source: SettingSource) throws(CommandError) -> String {
        try readSettings { () throws(SettingFaults) in try Configuration.appleKeysURL(from: source) }
    }

    /// The keys that a login would use.
    ///
    /// - Parameter path: of a file with the key set; nil to fetch it.
    func keys(from path: String?) throws(CommandError) -> JWKSet {
        let (bytes, place) = (try bytes(from: path), path ?? "the answer of \(name.lowercaseName)")
        let (policy, exit) = (KeySetPolicy(for: rules), path == nil ? ExitStatus.failed : .usage)
        let keys: JWKSet
        do { keys = try JWKSet(parsing: bytes, usableFor: policy.algorithms, naming: policy.naming) } catch {
            throw CommandError(exit, "\(place) is not a key set: \(error)")
        }
        guard !keys.isEmpty || name == .apple else {
            throw CommandError(exit, "\(place) has no usable key", details: keys.skipped)
        }
        return keys
    }

    private func bytes(from path: String?) throws(CommandError) -> [UInt8] {
        guard path == nil, let address else {
            do { return try File.read(path ?? "") } catch { throw CommandError(.usage, error.description) }
        }
        do { return try ProviderKeys.source(of: address)() } catch {
            let message = "the keys of \(name.lowercaseName) cannot be fetched: \(error)"
            throw CommandError(.failed, message, details: ["gatehouse check"])
        }
    }
}

/// The rule for nonces of the challenge endpoint.
struct ChallengeRule {
    let isRequired: Bool
    /// The secrets that authenticate challenges; nil if the configuration has none.
    let keys: KeyRing?

    init(isRequired: Bool, _ source: SettingSource) throws(CommandError) {
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
