import CodeDelivery
import Curl
import JOSE
import StandardWebhooks

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
