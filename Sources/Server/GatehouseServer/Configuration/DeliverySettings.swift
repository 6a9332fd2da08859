package import CodeDelivery
import Curl
import FileSystem
package import Gatehouse
package import IdentityProviders
import JOSE
import StandardWebhooks

/// How codes and notices are sent.
package struct DeliverySettings: Sendable {
    let smsURL = Setting(
        "SMS_URL", .fetchURL, "Address of the gateway that sends codes by SMS.",
        details: "Gatehouse sends it a [signed POST](Codes.md). With this setting, users can sign in by phone number.")
    let smsSecret = Setting(
        "SMS_SECRET", .webhookSecrets, default: .requiredIf("with `SMS_URL`"), secret: true,
        "Secret that signs what is sent to the gateway.",
        details: "Two while it is replaced: each message is signed with both.")
    let numberURL = Setting(
        "NUMBER_URL", .fetchURL, "Address of the receiver that exchanges tokens of one-tap sign-in for numbers.",
        details: "Gatehouse sends it a [signed POST](Codes.md#one-tap-sign-in). Who answers there decides who signs in."
    )
    let numberSecret = Setting(
        "NUMBER_SECRET", .webhookSecrets, default: .requiredIf("with `NUMBER_URL`"), secret: true,
        "Secret that signs what is sent to that receiver.",
        details: "Two while it is replaced: each question is signed with both.")
    let smtpURL = Setting(
        "SMTP_URL", .mailServer, "Address of the mail server that sends codes.",
        details: """
            TLS is demanded, except for an `smtp://` address of this machine. With this setting, users can sign in by mail \
            address.
            """)
    let smtpUsername = Setting("SMTP_USERNAME", .text, "User name at the mail server.")
    let smtpPassword = Setting(
        "SMTP_PASSWORD", .text, default: .requiredIf("with `SMTP_USERNAME`"), secret: true,
        "Password at the mail server.")
    let mailFrom = Setting(
        "MAIL_FROM", .mailSender, default: .requiredIf("with `SMTP_URL`"), "Sender of the mails.")
    let appName = Setting(
        "APP_NAME", .appName, default: "Gatehouse", "Name of the app in messages.",
        details: "In China it is the signature (签名) that your gateway has registered.")
    let codeDomain = Setting(
        "CODE_DOMAIN", .domain, "Domain that the last line of an SMS binds the code to.",
        details: "iOS then offers the code only in your app and on your web site.")
    let messagesFolder = Setting(
        "MESSAGES_DIR", .text, "Folder with your own texts of messages.",
        details: """
            If it is not set, the folder `messages.d` beside the configuration file is used, if there is one: \
            [texts](Codes.md#texts).
            """)
    let messagesLanguage = Setting(
        "MESSAGES_LANGUAGE", .language, default: "en",
        "Language of messages for clients that accept none of the others.")
    let accountNotices = Setting(
        "ACCOUNT_NOTICES", .oneOf(AccountNotices.self), default: "on",
        "Whether users are told by mail of a new device and of changes of their account.",
        details: """
            To the verified mail address of the user, so only with `SMTP_URL` ([notices](Codes.md#notices-to-owners)).
            """)
}

/// The values of `ACCOUNT_NOTICES`.
enum AccountNotices: String, Sendable, CaseIterable {
    case on
    case off
}

/// How codes are sent: by the operator's gateway for SMS, by their mail server, by both, or not at all.
package struct ConfiguredDelivery: Sendable {
    package let sms: SMSGatewaySettings?
    package let mail: MailServerSettings?
    /// Nil without one-tap sign-in.
    package let numbers: NumberReceiverSettings?
    package let templates: MessageTemplates
    package let app: String
    package let domain: String?
    /// The kinds of numbers that get codes.
    package let kinds: Set<NumberKind>

    package var channels: [CodeChannel] {
        (sms == nil ? [] : [.phone]) + (mail == nil ? [] : [.email])
    }
}

extension SettingReader<Settings> {
    /// Nil if the templates have a fault.
    mutating func delivery() -> ConfiguredDelivery? {
        let sms = receiver(at: \.delivery.smsURL, signing: \.delivery.smsSecret, "no number gets a code")
        let mail = mailServer()
        let numbers = receiver(at: \.delivery.numberURL, signing: \.delivery.numberSecret, "no number signs in")
        if self[\.codes.phoneBinding] == .required, !isSet(\.delivery.smsURL), !isSet(\.delivery.numberURL) {
            addFault(
                Settings.table.codes.phoneBinding.name,
                "needs \(Settings.table.delivery.smsURL.name) or \(Settings.table.delivery.numberURL.name): without them, "
                    + "no user could bind a number")
        }
        guard let templates = messageTemplates() else { return nil }
        return ConfiguredDelivery(
            sms: sms.map { SMSGatewaySettings(url: $0.url, secrets: $0.secrets) }, mail: mail,
            numbers: numbers.map { NumberReceiverSettings(url: $0.url, secrets: $0.secrets) }, templates: templates,
            app: self[\.delivery.appName], domain: self[\.delivery.codeDomain], kinds: self[\.codes.phoneKinds])
    }

    /// A receiver of signed questions or messages. The secret may stay when an operator closes it.
    ///
    /// - Parameter loss: what does not work without `PHONE_COUNTRIES`.
    private mutating func receiver(
        at address: KeyPath<Settings, Setting<String?>>, signing secrets: KeyPath<Settings, Setting<WebhookSecrets?>>,
        _ loss: String
    ) -> (url: String, secrets: WebhookSecrets)? {
        let (table, countries) = (Settings.table, Settings.table.codes.phoneCountries.name)
        guard isSet(address) else { return nil }
        if !isSet(secrets) { addMissing(table[keyPath: secrets]) }
        if !isSet(\.codes.phoneCountries) {
            warn("\(table[keyPath: address].name) is set, and \(countries) is not: \(loss)")
        }
        guard let url = self[address], let secrets = self[secrets] else { return nil }
        return (url, secrets)
    }

    private mutating func mailServer() -> MailServerSettings? {
        let table = Settings.table
        guard isSet(\.delivery.smtpURL) else { return nil }
        if !isSet(\.delivery.mailFrom) { addMissing(table.delivery.mailFrom) }
        if isSet(\.delivery.smtpUsername), !isSet(\.delivery.smtpPassword) { addMissing(table.delivery.smtpPassword) }
        if isSet(\.delivery.smtpPassword), !isSet(\.delivery.smtpUsername) { addMissing(table.delivery.smtpUsername) }
        guard let server = self[\.delivery.smtpURL], let sender = self[\.delivery.mailFrom] else { return nil }
        let login = self[\.delivery.smtpUsername].flatMap { name in
            self[\.delivery.smtpPassword].map { SMTPLogin(username: name, password: $0) }
        }
        return MailServerSettings(server: server, login: login, from: sender)
    }

    private mutating func messageTemplates() -> MessageTemplates? {
        let row = Settings.table.delivery.messagesFolder
        do throws(TemplateFaults) {
            let templates = try MessageTemplates(
                folder: messagesFolder, defaultLanguage: self[\.delivery.messagesLanguage])
            for warning in templates.warnings { warn(warning) }
            return templates
        } catch {
            for fault in error.faults { addFault(row.name, fault.description) }
            return nil
        }
    }

    /// Beside the configuration file, the folder may be missing.
    private var messagesFolder: String? {
        if let folder = self[\.delivery.messagesFolder] { return folder }
        guard let folder = pathBesideConfiguration(for: "messages.d"), !File.isMissing(folder) else {
            return nil
        }
        return folder
    }
}

// MARK: - Forms of values

extension SettingParser where Value == WebhookSecrets {
    static var webhookSecrets: Self {
        let format = "whsec_ and 24 to 64 random bytes in base64; several with spaces between them"
        return Self(format) { text, faults in
            do throws(WebhookSecretFault) {
                let secrets = try WebhookSecrets(text)
                if text.split(whereSeparator: \.isWhitespace).contains(where: isPredictable) {
                    faults.append("is not random: make one with: echo whsec_$(openssl rand -base64 32)")
                }
                return secrets
            } catch {
                faults.append("must be \(format): it \(error.description)")
                return nil
            }
        }
    }

    private static func isPredictable(_ secret: Substring) -> Bool {
        let text = String(secret.drop { $0 != "_" }.dropFirst())
        let decoded = Base64.decode(text) ?? []
        let texts = [text] + [String(validating: decoded, as: UTF8.self)].compactMap(\.self)
        return decoded.isPredictable || texts.contains { Secret(text: $0).fault(atLeast: 0) != nil }
    }
}

extension SettingParser where Value == SMTPServer {
    static var mailServer: Self {
        Self("smtps:// or smtp:// with a host and, optionally, a port", SMTPServer.init)
    }
}

extension SettingParser where Value == MailSender {
    static var mailSender: Self { Self("an address, or a name and an address in angle brackets", MailSender.init) }
}

extension SettingParser where Value == String {
    /// Any text that is safe in a message.
    static var appName: Self {
        Self("a name of at most 60 bytes without control characters") { text in
            let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            return isPlain && (1...60).contains(text.utf8.count) ? text : nil
        }
    }

    static var domain: Self {
        Self("the name of a domain, such as example.com") { text in
            text.wholeMatch(of: /[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+/) == nil ? nil : text
        }
    }

    static var language: Self {
        Self("the tag of a language, such as zh or zh-Hant") { text in
            text.wholeMatch(of: /[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*/) == nil ? nil : text
        }
    }
}
