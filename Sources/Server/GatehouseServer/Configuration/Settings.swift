/// The settings of the server, each beside its subject. Reading, `gatehouse serve --help`, `gatehouse check` and the
/// Configuration page follow the order of the declarations.
package struct Settings: SettingsTable {
    package static let table = Settings()

    /// The rows, in the order of their declaration. `Mirror` lists the properties, so that no row can be left out.
    package static let all = Mirror(reflecting: table).children.flatMap { Mirror(reflecting: $0.value).children }
        .compactMap { $0.value as? any SettingRow }

    package let process = ProcessSettings()
    package let apple = AppleSettings()
    let web = WebSettings()
    let services = ServiceSettings()
    let passkeys = PasskeySettings()
    let support = SupportSettings()
    let attributes = AttributeSettings()
    package let sessions = SessionSettings()
    let delivery = DeliverySettings()
    let codes = CodeSettings()
    let events = EventSettings()
    let keys = KeySettings()
}

extension Settings {
    /// A setting `X` is read from the file that `X_FILE` names.
    static let fileSuffix = "_FILE"

    /// The settings that keep their values at a reload.
    static let namesNeedingRestart = Set(all.filter(\.needsRestart).map(\.name))

    /// The secrets that an installation generates.
    var generatedSecrets: Set<String> { [keys.accessSecret.name, keys.refreshSecret.name, apple.dataKey.name] }
}

extension Settings {
    /// The table of the Configuration page, in Markdown.
    package static var markdown: String { markdown(all.map { ($0, $0.defaultValue) }) }

    /// - Parameter rows: settings and their defaults.
    static func markdown(_ rows: [(row: any SettingRow, defaultValue: SettingDefault)]) -> String {
        "| setting | default | meaning |\n|---|---|---|\n"
            + rows.map { "| `\($0.name)` |\($1.markdown) | \($0.meaning) |\n" }.joined()
    }

    /// The list in `gatehouse serve --help`.
    package static var help: String {
        let width = all.map(\.name.count).max() ?? 0
        return all.map { row in
            let name = row.name + String(repeating: " ", count: width - row.name.count)
            return "  \(name)  \(row.summary.filter { $0 != "`" })\(row.helpDefault)"
        }.joined(separator: "\n")
    }
}

extension SettingDefault {
    fileprivate var markdown: String {
        switch self {
        case .none: ""
        case .text(let text): " `\(text)`"
        case .required: " required"
        case .requiredIf(let condition): " required \(condition)"
        }
    }
}

extension SettingRow {
    fileprivate var helpDefault: String {
        switch defaultValue {
        case .none: ""
        case .text(let text): " [\(text)]"
        case .required: " [required]"
        case .requiredIf(let condition): " [required \(condition.filter { $0 != "`" })]"
        }
    }

    /// Each sentence ends in a full stop.
    fileprivate var meaning: String {
        [
            summary, format.isEmpty ? "" : "Must be \(format).", details,
            isSecret ? "Secret." : "", needsRestart ? "A change needs a restart." : "",
        ].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// Settings that are read together.
extension Settings {
    var dataKeyRows: [any SettingRow] { [apple.dataKey, apple.dataKeyPrevious] }
    var refreshSecretRows: [any SettingRow] { [keys.refreshSecret, keys.refreshSecretPrevious] }
    var deliveryRows: [any SettingRow] {
        [
            delivery.smsURL, delivery.smsSecret, delivery.numberURL, delivery.numberSecret, codes.phoneCountries,
            codes.phoneKinds, codes.phoneBinding,
            delivery.smtpURL, delivery.smtpUsername, delivery.smtpPassword, delivery.mailFrom, delivery.appName,
            delivery.codeDomain, delivery.messagesFolder, delivery.messagesLanguage,
        ]
    }
    var passkeyRows: [any SettingRow] {
        [
            process.environment, passkeys.rpID, passkeys.origins, passkeys.userVerification, passkeys.apps,
            passkeys.enrollURL, passkeys.manageURL, sessions.sensitiveStrength,
        ]
    }
    var receiverRows: [any SettingRow] { [events.url, events.secret, events.receiversFolder] }
    var webRows: [any SettingRow] {
        [
            process.publicURL, process.tokenIssuer, process.environment, web.redirectURIs, web.corsOrigins,
            web.signInOrder, apple.clientID, apple.authorizationURL,
        ]
    }
    var appleServerRows: [any SettingRow] {
        [apple.tokenURL, apple.revokeURL, apple.migrationURL, apple.teamID, apple.keyID, apple.privateKey]
    }
}

/// The names with which a line of a file of settings may begin.
struct SettingNames: Sendable {
    let known: Set<String>
    /// The settings that are secret.
    let secrets: [String]
    /// Why a line may not set a name that is known elsewhere.
    let misplaced: [String: String]

    /// - Parameter others: names that are not in the table.
    init(of rows: [any SettingRow], others: [String] = [], misplaced: [String: String] = [:]) {
        known = Set(rows.flatMap { [$0.name, $0.name + Settings.fileSuffix] } + others)
        secrets = rows.filter(\.isSecret).map(\.name)
        self.misplaced = misplaced
    }

    /// Those of the files of a folder.
    init(ofFolder rows: [any SettingRow]) {
        let ofServer = SettingNames.ofServer.known.map { ($0, "belongs in gatehouse.conf") }
        self.init(of: rows, misplaced: Dictionary(uniqueKeysWithValues: ofServer))
    }

    /// Those of the configuration file.
    static let ofServer = SettingNames(
        of: Settings.all, others: [SettingSource.credentialsVariable],
        misplaced: [ConfigurationFile.variable: "names this file, and can only be set in the environment"])

    /// The name that a misspelt one may stand for; nil if none is similar.
    func similar(to name: String) -> String? {
        let name = name.uppercased()
        guard name.utf8.count <= 64 else { return nil }
        let nearest = known.sorted().map { ($0, name.editDistance(to: $0)) }.min { $0.1 < $1.1 }
        return nearest.flatMap { $0.1 <= max(1, $0.0.utf8.count / 5) ? $0.0 : nil }
    }
}

extension String {
    /// The number of bytes to insert, delete or replace (Levenshtein).
    fileprivate func editDistance(to other: String) -> Int {
        let target = Array(other.utf8)
        var row = Array(0...target.count)
        for (index, byte) in utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in target.indices {
                let replaced = diagonal + (byte == target[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
