import GatehouseServer

/// What belongs to development, and is dangerous where real users are served.
struct ProductionCheck: Check {
    struct Facts {
        var environment: AppEnvironment
        /// Why real users may be served here; nil on a laptop, or in a container for development.
        var publicReason: String?
        /// Addresses at which Apple is asked.
        var apple: [(name: String, url: String)] = []
        var developmentSecret: Place?
        var environmentPlace = Place.environment
    }

    /// Where a setting is made, and is to be removed.
    enum Place: Equatable {
        case environment
        case configurationFile(String)
        /// A file of its own, or a credential.
        case file(String)
        /// `Environment=` of the running server's unit, which this command does not have.
        case unit
    }

    let subject = "production"
    let survey: ConfigurationSurvey
    let hasUnits: Bool
    /// What the running server was started with, as far as it is looked at here.
    let server: ServerEnvironment

    func look() -> [Finding] {
        guard let environment = survey.environment else { return [.note("not looked at: see configuration")] }
        var facts = Facts(environment: server.environment ?? environment)
        facts.apple = survey.appleAddresses.map { ($0.name, server[$0.name] ?? $0.url) }
        if let address = survey.publicAddress.address, !address.isOfThisMachine {
            facts.publicReason = "clients come to \(address)"
        } else if hasUnits {
            facts.publicReason = "the package's units are installed"
        }
        facts.developmentSecret = place(of: "DEV_LOGIN_SECRET")
        facts.environmentPlace = place(of: "APP_ENV") ?? .environment
        return judge(facts)
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

    func judge(_ facts: Facts) -> [Finding] {
        guard facts.environment == .production || facts.publicReason != nil else {
            return [.ok("this is development (APP_ENV), and no public address is known")]
        }
        let findings = [environment(facts), apple(facts), secret(facts)].compactMap { $0 }
        return findings.isEmpty ? [.ok("no setting of development is in use")] : findings
    }

    private func environment(_ facts: Facts) -> Finding? {
        guard facts.environment == .development else { return nil }
        let place = facts.environmentPlace
        return .fault(
            "APP_ENV=development, and \(facts.publicReason ?? "users are served"): a login by secret may be open",
            "\(removal(of: "APP_ENV", from: place)); then: \(effect(of: place, isFixed: false))")
    }

    private func apple(_ facts: Facts) -> Finding? {
        let foreign = facts.apple.filter { !Self.isApple($0.url) }
        guard !foreign.isEmpty else { return nil }
        let hosts = foreign.map(\.url.host).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let names = foreign.map(\.name).joined(separator: ", ")
        let places = foreign.map(\.name).compactMap(place).reduce(into: [Place]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let place = places.first ?? .environment
        return .fault(
            "\(names): \(hosts.joined(separator: ", ")) is not Apple, and can sign in as any user",
            "\(removal(of: names, from: place)); then: \(effect(of: place, isFixed: true))")
    }

    private func secret(_ facts: Facts) -> Finding? {
        guard let place = facts.developmentSecret else { return nil }
        return .fault(
            "DEV_LOGIN_SECRET is set: a person who knows it can sign in as any user once APP_ENV is development",
            "\(removal(of: "DEV_LOGIN_SECRET", from: place)); then: \(effect(of: place, isFixed: true))")
    }

    private func removal(of name: String, from place: Place) -> String {
        switch place {
        case .environment: "remove \(name) from the environment"
        case .configurationFile(let path): "remove \(name) from \(path)"
        case .file(let path): "rm \(path), and \(name)_FILE where that names it"
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
