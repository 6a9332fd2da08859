package import CodeDelivery
import Curl
import FileSystem
package import Gatehouse

/// How codes are sent: by the operator's gateway for SMS, by their mail server, by both, or not at all.
package struct ConfiguredDelivery: Sendable {
    package let sms: SMSGatewaySettings?
    package let mail: MailServerSettings?
    package let templates: MessageTemplates
    package let app: String
    package let domain: String?
    /// The kinds of numbers that get codes.
    package let kinds: Set<NumberKind>

    package var channels: [CodeChannel] {
        (sms == nil ? [] : [.phone]) + (mail == nil ? [] : [.email])
    }
}

extension SettingReader {
    /// Nil if the templates have a fault.
    mutating func delivery() -> ConfiguredDelivery? {
        let (sms, mail) = (smsGateway(), mailServer())
        if self[\.phoneBinding] == .required, !isSet(\.smsURL) {
            addFault(
                Settings.table.phoneBinding.name,
                "needs \(Settings.table.smsURL.name): without codes by SMS, no user could bind a number")
        }
        guard let templates = messageTemplates() else { return nil }
        return ConfiguredDelivery(
            sms: sms, mail: mail, templates: templates, app: self[\.appName], domain: self[\.codeDomain],
            kinds: self[\.phoneKinds])
    }

    /// In production, a person who knows a test code can sign in as its user.
    mutating func warnOfTestCodes(now: Timestamp = .ofThisMachine) {
        for code in (self[\.testCodes] ?? [:]).values.sorted(by: { $0.endsAt < $1.endsAt }) {
            let lastDay = (code.endsAt - .seconds(1)).description.prefix(10)
            warn(
                code.endsAt <= now
                    ? "\(Settings.table.testCodes.name) has a code that ended on \(lastDay): remove it"
                    : "\(Settings.table.testCodes.name) has a code that is accepted until \(lastDay): remove it after the review"
            )
        }
    }

    private mutating func smsGateway() -> SMSGatewaySettings? {
        let table = Settings.table
        // The secret may stay when an operator closes the channel.
        guard isSet(\.smsURL) else { return nil }
        if !isSet(\.smsSecret) { addMissing(table.smsSecret) }
        if !isSet(\.phoneCountries) {
            warn("\(table.smsURL.name) is set and \(table.phoneCountries.name) is not: no number gets a code")
        }
        guard let url = self[\.smsURL], let secrets = self[\.smsSecret] else { return nil }
        return SMSGatewaySettings(url: url, secrets: secrets)
    }

    private mutating func mailServer() -> MailServerSettings? {
        let table = Settings.table
        guard isSet(\.smtpURL) else { return nil }
        if !isSet(\.mailFrom) { addMissing(table.mailFrom) }
        if isSet(\.smtpUsername), !isSet(\.smtpPassword) { addMissing(table.smtpPassword) }
        if isSet(\.smtpPassword), !isSet(\.smtpUsername) { addMissing(table.smtpUsername) }
        guard let server = self[\.smtpURL], let sender = self[\.mailFrom] else { return nil }
        let login = self[\.smtpUsername].flatMap { name in
            self[\.smtpPassword].map { SMTPLogin(username: name, password: $0) }
        }
        return MailServerSettings(server: server, login: login, from: sender)
    }

    private mutating func messageTemplates() -> MessageTemplates? {
        let row = Settings.table.messagesFolder
        do throws(TemplateFaults) {
            let templates = try MessageTemplates(folder: messagesFolder, defaultLanguage: self[\.messagesLanguage])
            for warning in templates.warnings { warn(warning) }
            return templates
        } catch {
            for fault in error.faults { addFault(row.name, fault.description) }
            return nil
        }
    }

    /// Beside the configuration file, the folder may be missing.
    private var messagesFolder: String? {
        if let folder = self[\.messagesFolder] { return folder }
        guard let folder = pathBesideConfiguration(for: Self.usualMessagesFolder), !File.isMissing(folder) else {
            return nil
        }
        return folder
    }

    private static let usualMessagesFolder = "messages.d"
}
