import Gatehouse

/// Parses the files of templates, and collects the faults of all of them.
struct TemplateParser {
    private(set) var files: TemplateFiles
    private var sms: [MessageKind: [LanguageTag: SMSTemplate]] = [:]
    private var mails: [MessageKind: [LanguageTag: MailTemplate]] = [:]

    init(_ files: TemplateFiles) {
        self.files = files
        // The HTML of a mail is added to its text.
        for (name, content) in files.contents where name.format == .text { parse(name, content) }
        for (name, content) in files.contents where name.format == .html { parse(name, content) }
    }

    func sms(
        _ kind: MessageKind, preferring language: LanguageTag?
    ) throws(TemplateFaults) -> LanguageTable<SMSTemplate> {
        try table(sms[kind], of: kind, .phone, language)
    }

    func mail(
        _ kind: MessageKind, preferring language: LanguageTag?
    ) throws(TemplateFaults) -> LanguageTable<MailTemplate> {
        try table(mails[kind], of: kind, .email, language)
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

    private func table<Text>(
        _ texts: [LanguageTag: Text]?, of kind: MessageKind, _ channel: CodeChannel, _ language: LanguageTag?
    ) throws(TemplateFaults) -> LanguageTable<Text> {
        guard let table = LanguageTable(texts ?? [:], preferring: language) else {
            let message = "\(kind.rawValue) (\(channel.rawValue))"
            throw TemplateFaults(unsorted: [TemplateFault(file: message, reason: .notInEnglish)])
        }
        return table
    }
}
