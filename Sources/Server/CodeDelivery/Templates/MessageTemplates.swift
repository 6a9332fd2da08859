import Gatehouse

/// The texts of all messages in all languages: the built-in ones, and those with which the operator replaces or extends them.
///
/// A file `KIND.CHANNEL.LANGUAGE.txt` is one text; the first line of a mail is its subject, and the second one is empty. A mail
/// may have HTML beside its text.
package struct MessageTemplates: Sendable {
    /// What is in the operator's folder and is no template.
    package let warnings: [String]

    private let sms: [MessageKind: LanguageTable<SMSTemplate>]
    private let mails: [MessageKind: LanguageTable<MailTemplate>]

    /// - Parameters:
    ///   - folder: the operator's templates; nil if there are none.
    ///   - defaultLanguage: for clients that accept none of the languages of a message; English where a message is not in it.
    package init(folder: String? = nil, defaultLanguage: String = "en") throws(TemplateFaults) {
        var files = TemplateFiles()
        if let folder { files.read(folder) }
        let parser = TemplateParser(files)
        guard parser.files.faults.isEmpty else { throw TemplateFaults(unsorted: parser.files.faults) }
        let language = LanguageTag(defaultLanguage)
        sms = try Self.tables(parser.sms, of: .phone, preferring: language)
        mails = try Self.tables(parser.mails, of: .email, preferring: language)
        warnings = files.warnings
    }

    /// The text message, in the language that its recipient prefers.
    func sms(
        _ values: MessageValues, for acceptLanguage: String?
    ) throws(DeliveryFault) -> (language: String, text: String) {
        let (tag, template) = try Self.choose(acceptLanguage, from: sms, values)
        return (tag.text, template.text(values))
    }

    func mail(_ values: MessageValues, for acceptLanguage: String?) throws(DeliveryFault) -> MailText {
        let (tag, template) = try Self.choose(acceptLanguage, from: mails, values)
        return MailText(
            language: tag.text, subject: template.subject(values), text: template.text(values),
            html: template.html?.page(values))
    }

    private static func tables<Text>(
        _ texts: [MessageKind: [LanguageTag: Text]], of channel: CodeChannel, preferring language: LanguageTag?
    ) throws(TemplateFaults) -> [MessageKind: LanguageTable<Text>] {
        var tables: [MessageKind: LanguageTable<Text>] = [:]
        for kind in MessageKind.all where kind.channels.contains(channel) {
            guard let table = LanguageTable(texts[kind] ?? [:], preferring: language) else {
                let message = "\(kind.name) (\(channel.rawValue))"
                throw TemplateFaults(unsorted: [TemplateFault(file: message, reason: .notInEnglish)])
            }
            tables[kind] = table
        }
        return tables
    }

    private static func choose<Text>(
        _ acceptLanguage: String?, from tables: [MessageKind: LanguageTable<Text>], _ values: MessageValues
    ) throws(DeliveryFault) -> (tag: LanguageTag, text: Text) {
        let kind = MessageKind(values.content)
        guard let table = tables[kind] else { throw .refused("\(kind.name) has no text for this channel") }
        return table.choose(acceptLanguage)
    }
}

/// The texts of one mail.
struct MailText: Equatable {
    let language: String
    let subject: String
    let text: String
    let html: String?
}

/// One message in its languages.
struct LanguageTable<Text: Sendable>: Sendable {
    private let texts: [LanguageTag: Text]
    private let last: (tag: LanguageTag, text: Text)

    /// The language of the last resort.
    static var english: String { "en" }

    /// Nil without a text in English.
    ///
    /// - Parameter preferred: for clients that accept none of the languages; English if the message is not in this one.
    init?(_ texts: [LanguageTag: Text], preferring preferred: LanguageTag?) {
        let tags = (preferred?.fallbacks ?? []) + [LanguageTag(Self.english)].compactMap(\.self)
        guard let last = Self.first(of: tags, in: texts) else { return nil }
        (self.texts, self.last) = (texts, last)
    }

    /// Looks up the languages that a client accepts (RFC 4647, section 3.4).
    func choose(_ acceptLanguage: String?) -> (tag: LanguageTag, text: Text) {
        Self.first(of: AcceptLanguage.tags(acceptLanguage).flatMap(\.fallbacks), in: texts) ?? last
    }

    /// With the tag as its file has it.
    private static func first(
        of tags: [LanguageTag], in texts: [LanguageTag: Text]
    ) -> (tag: LanguageTag, text: Text)? {
        for tag in tags {
            if let index = texts.index(forKey: tag) { return (texts[index].key, texts[index].value) }
        }
        return nil
    }
}

/// Parses the files of templates, and collects the faults of all of them.
struct TemplateParser {
    private(set) var files: TemplateFiles
    private(set) var sms: [MessageKind: [LanguageTag: SMSTemplate]] = [:]
    private(set) var mails: [MessageKind: [LanguageTag: MailTemplate]] = [:]

    init(_ files: TemplateFiles) {
        self.files = files
        // The HTML of a mail is added to its text.
        for (name, content) in files.contents where name.format == .text { parse(name, content) }
        for (name, content) in files.contents where name.format == .html { parse(name, content) }
    }

    private mutating func parse(_ name: TemplateName, _ content: [UInt8]) {
        do throws(TemplateFault.Reason) {
            switch (name.channel, name.format) {
            case (.phone, _): sms[name.kind, default: [:]][name.language] = try SMSTemplate(content, of: name.kind)
            case (.email, .text):
                mails[name.kind, default: [:]][name.language] = try MailTemplate(content, of: name.kind)
            case (.email, .html): try add(HTMLTemplate(content, of: name.kind), named: name)
            }
        } catch {
            files.add(error, of: name.file)
        }
    }

    private mutating func add(_ html: HTMLTemplate, named name: TemplateName) throws(TemplateFault.Reason) {
        let text = name.inFormat(.text)
        guard files.contents[text] != nil else { throw .noText(text.file) }
        // The text may have a fault of its own.
        mails[name.kind]?[name.language]?.html = html
    }
}
