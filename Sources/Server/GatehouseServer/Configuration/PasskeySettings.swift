import Gatehouse
import JOSE
import Text

/// Passkeys, and the files by which phones and browsers trust the apps and pages that use them.
package struct PasskeySettings: Sendable {
    let rpID = Setting(
        "PASSKEY_RP_ID", .relyingPartyID, "The domain to which passkeys belong, such as example.com.",
        details: """
            Without it, passkeys are off. It is for ever: with another one no passkey can be used, so the server does not \
            start with [a changed one](Passkeys.md#a-changed-rp-id) while there are passkeys.
            """)
    let origins = Setting(
        "PASSKEY_ORIGINS", .passkeyOrigins, "Origins of the pages that may use passkeys.",
        details: """
            By default, the domain of `PASSKEY_RP_ID` with https. Origins of other domains are \
            [related origins](Passkeys.md#related-origins), which `/.well-known/webauthn` names. An Android app is \
            `android:apk-key-hash:` with the hash of its certificate, here or in `PASSKEY_APPS`. With `APP_ENV=development`, \
            `http://localhost` with a port is permitted as well.
            """)
    let userVerification = Setting(
        "PASSKEY_USER_VERIFICATION", .oneOf(PasskeyPolicy.UserVerification.self), default: "preferred",
        "Whether a passkey asks for a fingerprint, a face or a PIN.",
        details: """
            With `required`, one that has not is refused. Otherwise it is `urn:gatehouse:1`, as a login without a passkey. With \
            `SENSITIVE_ACR=urn:gatehouse:2`, a new passkey has to ask, and `discouraged` is a fault.
            """
    )
    let apps = Setting(
        "PASSKEY_APPS", .passkeyApps, "Apps that may use passkeys, which nginx publishes for phones.",
        details: """
            An iOS app is named by its team and bundle ids, an Android app by its certificate and its package \
            ([files for phones](Passkeys.md#files-for-phones)).
            """)
    let enrollURL = Setting(
        "PASSKEY_ENROLL_URL", .passkeyPage, "The page on which a user adds a passkey.",
        details: "Password managers read it in `/.well-known/passkey-endpoints`.")
    let manageURL = Setting(
        "PASSKEY_MANAGE_URL", .passkeyPage, "The page on which a user sees and deletes passkeys.",
        details: "Password managers read it in `/.well-known/passkey-endpoints`.")
}

/// What is published about passkeys. Nothing of it is secret.
package struct PublishedPasskeys: Sendable, Equatable {
    package let rpID: String
    /// The origins of pages of other domains than `rpID`.
    package let relatedOrigins: [String]
    package let apps: [PasskeyApp]
    let pages: [(name: String, url: String)]

    package static func == (left: Self, right: Self) -> Bool {
        left.rpID == right.rpID && left.relatedOrigins == right.relatedOrigins && left.apps == right.apps
            && left.pages.elementsEqual(right.pages, by: ==)
    }
}

/// An app that may use the passkeys of this installation.
package enum PasskeyApp: Sendable, Equatable {
    /// The id of its team and its bundle, as in `webcredentials`.
    case apple(String)
    /// - Parameters:
    ///   - keyHash: SHA-256 of the certificate that signs the app.
    ///   - package: nil for an app that is only an origin.
    case android(keyHash: [UInt8], package: String?)

    static let androidScheme = "android:apk-key-hash:"

    /// The origin in the answers of its passkeys; nil for one of iOS, whose origin is that of the domain.
    package var origin: String? {
        guard case .android(let hash, _) = self else { return nil }
        return Self.androidScheme + Base64URL.encode(hash)
    }
}

extension SettingReader<Settings> {
    /// Nil if passkeys are off. Adds the faults of origins.
    mutating func passkeys() -> (policy: PasskeyPolicy, published: PublishedPasskeys)? {
        guard let rpID = self[\.passkeys.rpID] else {
            warnOfSettingsWithoutRPID()
            return nil
        }
        let (listed, apps) = (self[\.passkeys.origins] ?? ["https://" + rpID], self[\.passkeys.apps] ?? [])
        let related = relatedOrigins(among: listed, of: rpID)
        // An app of iOS has the origin of the domain, whichever pages there are.
        let further = apps.map { $0.origin ?? "https://" + rpID }
        let origins = listed + Set(further).subtracting(listed).sorted()
        let verification = self[\.passkeys.userVerification]
        if verification == .discouraged, self[\.sessions.sensitiveStrength] == .twoFactors {
            addFault(
                Settings.table.passkeys.userVerification.name,
                "must not be discouraged: SENSITIVE_ACR demands passkeys with user verification")
        }
        warnOfApps(without: origins.filter { $0.hasPrefix(PasskeyApp.androidScheme) }, in: apps)
        let pages = [("enroll", self[\.passkeys.enrollURL]), ("manage", self[\.passkeys.manageURL])]
        return (
            PasskeyPolicy(rpID: rpID, origins: origins, userVerification: verification),
            PublishedPasskeys(
                rpID: rpID, relatedOrigins: related, apps: apps,
                pages: pages.compactMap { name, url in url.map { (name, $0) } })
        )
    }

    private mutating func warnOfSettingsWithoutRPID() {
        let table = Settings.table.passkeys
        // A fault of the RP id is reported already.
        guard !isSet(\.passkeys.rpID) else { return }
        let others: [any SettingRow] = [table.origins, table.apps, table.enrollURL, table.manageURL]
        for row in others where isSet(row) { warn("\(row.name) has no effect without \(table.rpID.name)") }
    }

    /// The origins of pages of other domains. Adds faults: a list without a page of the domain, and plain HTTP in production.
    private mutating func relatedOrigins(among origins: [String], of rpID: String) -> [String] {
        let (name, isDevelopment) = (Settings.table.passkeys.origins.name, self[\.process.environment] == .development)
        for (index, origin) in origins.enumerated() where !isDevelopment && origin.hasPrefix("http://") {
            let place = SettingList.place(index, of: origins.count)
            addFault(name, place + "has http: http://localhost needs APP_ENV=development")
        }
        let pages = origins.filter { !$0.hasPrefix(PasskeyApp.androidScheme) }
        let related = pages.filter { page in
            let host = page.split(separator: "/").last?.prefix { $0 != ":" } ?? ""
            return host != rpID && !host.hasSuffix("." + rpID)
        }
        if !pages.isEmpty, related.count == pages.count {
            addFault(
                name, "has no origin of PASSKEY_RP_ID: its passkeys are for pages of this domain and of hosts below it")
        }
        return related
    }

    /// Android shows an app no passkey unless `assetlinks.json` names its package.
    private mutating func warnOfApps(without origins: [String], in apps: [PasskeyApp]) {
        let named = apps.filter { if case .android(_, nil) = $0 { false } else { true } }.compactMap(\.origin)
        for origin in origins where !named.contains(origin) {
            warn("PASSKEY_APPS has no package for \(origin): add @ and the package, or phones show the app no passkey")
        }
    }
}

// MARK: - Forms of values

extension SettingParser where Value == String {
    /// A host name as in an origin (WebAuthn, section 5.1.2). Whether it is a public suffix, only browsers know.
    static var relyingPartyID: Self {
        Self("a domain such as example.com, in lower case (other letters in punycode), without a scheme and a port") {
            text in
            let labels = text.split(separator: ".", omittingEmptySubsequences: false)
            let areLabels = labels.allSatisfy { $0.wholeMatch(of: /[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/) != nil }
            // The last label of an address in digits is a number.
            let isName = labels.count > 1 && labels.last?.contains { $0.isLetter } == true
            return text.utf8.count <= 253 && areLabels && (isName || text == "localhost") ? text : nil
        }
    }

    /// The page of a relying party that password managers open.
    static var passkeyPage: Self {
        Self("an https URL") { text in
            let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
            return isPlain && text.wholeMatch(of: /https:\/\/[^\/?#@]+(?:[\/?#].*)?/) != nil ? text : nil
        }
    }
}

extension SettingParser where Value == [String] {
    static var passkeyOrigins: Self {
        let format =
            "a list, separated by commas, of https origins such as https://www.example.com, and of "
            + "\(PasskeyApp.androidScheme) with a hash in base64url"
        return Self(format) { text, faults in
            SettingList(text).read(&faults) { entry in
                if entry.hasPrefix(PasskeyApp.androidScheme) {
                    return PasskeyApp(entry).flatMap { if case .android(_, nil) = $0 { $0.origin } else { nil } }
                }
                // No browser uses a passkey on a page of an address in digits.
                guard let origin = origin(entry), origin.wholeMatch(of: /.*(?:\]|\.[0-9]+)(?::[0-9]+)?/) == nil else {
                    return nil
                }
                return origin
            } fault: {
                "must be an https origin of a host name, without a path, or \(PasskeyApp.androidScheme) with the base64url of 32 "
                    + "bytes; in development, http only as http://localhost with a port"
            }
        }
    }
}

extension SettingParser where Value == [PasskeyApp] {
    static var passkeyApps: Self {
        let format =
            "a list, separated by commas, of iOS apps such as ABCDE12345.com.example.app and of Android apps such as "
            + "\(PasskeyApp.androidScheme)HASH@com.example.app"
        return Self(format) { text, faults in
            SettingList(text).read(&faults, PasskeyApp.init) {
                "must be a team id of ten capital letters and digits, a dot and a bundle id; or \(PasskeyApp.androidScheme) with "
                    + "the base64url of the SHA-256 of the app's certificate, @ and the package"
            }
        }
    }
}

extension PasskeyApp {
    /// Reads an entry of `PASSKEY_APPS`.
    init?(_ text: String) {
        if text.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*/) != nil {
            self = .apple(text)
            return
        }
        guard text.hasPrefix(Self.androidScheme) else { return nil }
        let parts = text.dropFirst(Self.androidScheme.count).split(
            separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let hash = Base64URL.decode(String(parts[0])), hash.count == 32 else { return nil }
        guard parts.count == 2 else {
            self = .android(keyHash: hash, package: nil)
            return
        }
        guard parts[1].wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+/) != nil else { return nil }
        self = .android(keyHash: hash, package: String(parts[1]))
    }
}

extension SettingList {
    /// The values of all entries; nil, with the faults, if one cannot be read.
    func read<Entry>(
        _ faults: inout [String], _ read: (String) -> Entry?, fault: () -> String
    ) -> [Entry]? {
        let values = entries.map { read($0.text) }
        for (entry, value) in zip(entries, values) where value == nil { faults.append(entry.place + fault()) }
        let found = values.compactMap(\.self)
        return found.count == values.count ? found : nil
    }
}
