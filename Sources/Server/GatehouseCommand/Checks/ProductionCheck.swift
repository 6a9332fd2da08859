import Gatehouse
import GatehouseServer

/// Development settings that are dangerous for real users.
struct ProductionCheck: Check {
    struct Facts {
        var environment: AppEnvironment
        /// Why the check assumes that real users are served; nil on a laptop or in a container for development.
        var publicReason: String?
        /// The URLs that are set for Apple.
        var apple: [(name: String, url: String)] = []
        /// The files of other providers, with the addresses that each has.
        var providers: [(file: String, url: String)] = []
        var developmentSecret: Place?
        var environmentPlace = Place.environment
    }

    /// Where a setting is set, and has to be removed.
    enum Place: Equatable {
        case environment
        case configurationFile(String)
        /// A file of its own or a credential.
        case file(String)
        /// `Environment=` of the running server's unit, which this command does not inherit.
        case unit
    }

    let subject = "production"
    let survey: ConfigurationSurvey
    let hasUnits: Bool
    /// The environment of the running server.
    let server: ServerEnvironment

    func run() -> [Finding] {
        guard let environment = survey.environment else { return [.note("not checked: see configuration")] }
        var facts = Facts(environment: server.environment ?? environment)
        facts.apple = survey.appleAddresses.map { ($0.name, server[$0.name] ?? $0.url) }
        if let address = survey.publicAddress.address, !address.isOfThisMachine {
            facts.publicReason = "clients use \(address)"
        } else if hasUnits {
            facts.publicReason = "the package's units are installed"
        }
        facts.providers = (survey.providers ?? []).flatMap { provider in
            provider.addresses.map { ("\(provider.name.lowercaseName).conf", $0) }
        }
        facts.developmentSecret = place(of: Settings.table.sessions.developmentSecret.name)
        facts.environmentPlace = place(of: Settings.table.process.environment.name) ?? .environment
        return evaluate(facts)
    }

    private func place(of name: String) -> Place? {
        if server[name] != nil { return .unit }
        return switch survey.source.origin(of: name) {
        case .environment: .environment
        case .configurationFile(let path): .configurationFile(path)
        case .file(let path): .file(path)
        case nil: nil
        }
    }

    func evaluate(_ facts: Facts) -> [Finding] {
        guard facts.environment == .production || facts.publicReason != nil else {
            return [.ok("APP_ENV=development, without a public address")]
        }
        let findings = [environment(facts), apple(facts), providers(facts), secret(facts)].compactMap { $0 }
        return findings.isEmpty ? [.ok("no development setting is in use")] : findings
    }

    private func environment(_ facts: Facts) -> Finding? {
        guard facts.environment == .development else { return nil }
        let place = facts.environmentPlace
        return .fault(
            "APP_ENV=development, and \(facts.publicReason ?? "users are served"): the login by secret may be enabled",
            "\(removal(of: Settings.table.process.environment.name, from: place)); then: \(effect(of: place, isFixed: false))"
        )
    }

    private func apple(_ facts: Facts) -> Finding? {
        let foreign = facts.apple.filter { !Self.isApple($0.url) }
        guard !foreign.isEmpty else { return nil }
        let hosts = foreign.map(\.url.host).withoutDuplicates
        let names = foreign.map(\.name).joined(separator: ", ")
        let place = foreign.lazy.compactMap { self.place(of: $0.name) }.first ?? .environment
        return .fault(
            "\(names): \(hosts.joined(separator: ", ")) is not Apple, and could sign in as any user",
            "\(removal(of: names, from: place)); then: \(effect(of: place, isFixed: true))")
    }

    /// An address without TLS is one of this machine.
    private func providers(_ facts: Facts) -> Finding? {
        let foreign = facts.providers.filter { !$0.url.hasPrefix("https://") }
        guard !foreign.isEmpty else { return nil }
        let files = foreign.map(\.file).withoutDuplicates.joined(separator: ", ")
        return .fault(
            "\(files): a stand-in on this machine, which could sign in as any user of that provider",
            "remove its ISSUER, JWKS_URL, API_URL, AUTHORIZATION_URL or TOKEN_URL, or the file; then: systemctl reload gatehouse"
        )
    }

    private func secret(_ facts: Facts) -> Finding? {
        guard let place = facts.developmentSecret else { return nil }
        return .fault(
            "DEV_LOGIN_SECRET is set: with APP_ENV=development it allows signing in as any user",
            "\(removal(of: "DEV_LOGIN_SECRET", from: place)); then: \(effect(of: place, isFixed: true))")
    }

    private func removal(of name: String, from place: Place) -> String {
        switch place {
        case .environment: "remove \(name) from the environment"
        case .configurationFile(let path): "remove \(name) from \(path)"
        case .file(let path): "rm \(path), and remove \(name)_FILE if it names that file"
        case .unit: "remove \(name) from Environment= of gatehouse.service (systemctl cat gatehouse)"
        }
    }

    private func effect(of place: Place, isFixed: Bool) -> String {
        switch place {
        case .configurationFile where !isFixed: "systemctl reload gatehouse"
        case .unit: "systemctl daemon-reload && systemctl restart gatehouse"
        default: "systemctl restart gatehouse"
        }
    }

    private static func isApple(_ url: String) -> Bool {
        let name = url.host.prefix { $0 != ":" }.lowercased()
        return url.hasPrefix("https://") && (name == "apple.com" || name.hasSuffix(".apple.com"))
    }
}

extension [String] {
    fileprivate var withoutDuplicates: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
