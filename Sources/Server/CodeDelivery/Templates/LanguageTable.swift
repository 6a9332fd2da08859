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
        self.texts = texts
        self.last = last
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

/// A value for each kind of message.
struct ByKind<Value: Sendable>: Sendable {
    private let code: Value
    private let others: [MessageKind: Value]

    init<Failure>(_ value: (MessageKind) throws(Failure) -> Value) throws(Failure) {
        code = try value(.code)
        var others: [MessageKind: Value] = [:]
        for kind in MessageKind.allCases where kind != .code { others[kind] = try value(kind) }
        self.others = others
    }

    subscript(_ kind: MessageKind) -> Value { others[kind] ?? code }
}
