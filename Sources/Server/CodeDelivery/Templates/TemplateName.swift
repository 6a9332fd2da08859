import Gatehouse

/// The name of a template's file: `code.sms.en.txt`, `phone_changed.mail.zh-Hant.html`.
struct TemplateName: Hashable, Sendable {
    enum Format: String, Sendable {
        case text = "txt"
        case html
    }

    let kind: MessageKind
    let channel: CodeChannel
    let language: LanguageTag
    let format: Format

    /// Nil unless the whole name has this form.
    init?(_ file: String) {
        let parts = file.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let kind = MessageKind(rawValue: parts[0]), let channel = Self.channels[parts[1]],
            let language = LanguageTag(parts[2]), let format = Format(rawValue: parts[3]),
            format == .text || channel == .email
        else { return nil }
        self.init(kind: kind, channel: channel, language: language, format: format)
    }

    private init(kind: MessageKind, channel: CodeChannel, language: LanguageTag, format: Format) {
        self.kind = kind
        self.channel = channel
        self.language = language
        self.format = format
    }

    /// The name of the same template in the other format.
    func inFormat(_ format: Format) -> TemplateName {
        TemplateName(kind: kind, channel: channel, language: language, format: format)
    }

    var file: String {
        "\(kind.rawValue).\(channel == .phone ? "sms" : "mail").\(language.text).\(format.rawValue)"
    }

    /// Whether a file was meant to be a template.
    static func isMeant(_ file: String) -> Bool {
        [Format.text, .html].contains { file.hasSuffix("." + $0.rawValue) }
    }

    private static let channels: [String: CodeChannel] = ["sms": .phone, "mail": .email]
}
