/// The texts of all messages in all languages: the built-in ones, and those with which the operator replaces or extends them.
///
/// A file `KIND.CHANNEL.LANGUAGE.txt` is one text; the first line of a mail is its subject, and the second one is empty. A mail
/// may have HTML beside its text.
package struct MessageTemplates: Sendable {
    /// What is in the operator's folder and is no template.
    package let warnings: [String]

    private let sms: ByKind<LanguageTable<SMSTemplate>>
    private let mails: ByKind<LanguageTable<MailTemplate>>

    /// - Parameters:
    ///   - folder: the operator's templates; nil if there are none.
    ///   - defaultLanguage: for clients that accept none of the languages of a message; English where a message is not in it.
    package init(folder: String? = nil, defaultLanguage: String = "en") throws(TemplateFaults) {
        var files = TemplateFiles()
        if let folder { files.read(folder) }
        let parser = TemplateParser(files)
        guard parser.files.faults.isEmpty else { throw TemplateFaults(unsorted: parser.files.faults) }
        let language = LanguageTag(defaultLanguage)
        sms = try ByKind { kind throws(TemplateFaults) in try parser.sms(kind, preferring: language) }
        mails = try ByKind { kind throws(TemplateFaults) in try parser.mail(kind, preferring: language) }
        warnings = files.warnings
    }

    /// The text message, in the language that its recipient prefers.
    func sms(_ values: MessageValues, for acceptLanguage: String?) -> (language: String, text: String) {
        let (tag, template) = sms[MessageKind(values.content)].choose(acceptLanguage)
        return (tag.text, template.text(values))
    }

    func mail(_ values: MessageValues, for acceptLanguage: String?) -> MailText {
        let (tag, template) = mails[MessageKind(values.content)].choose(acceptLanguage)
        return MailText(
            language: tag.text, subject: template.subject(values), text: template.text(values),
            html: template.html?.page(values))
    }
}

/// The texts of one mail.
struct MailText: Equatable {
    let language: String
    let subject: String
    let text: String
    let html: String?
}
