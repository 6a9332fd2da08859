/// A language tag (RFC 5646), of which only the form is known. Compared without regard to case.
struct LanguageTag: Hashable, Sendable {
    /// As it was written.
    let text: String
    /// In lower case.
    private let subtags: [String]

    /// Nil unless the text is letters, and then letters and digits behind hyphens.
    init?(_ text: some StringProtocol) {
        let parts = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
        // A few characters beyond ASCII have a letter of ASCII as their lower case.
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let first = parts.first,
            (2...8).contains(first.utf8.count), first.utf8.allSatisfy(Self.isLetter),
            parts.dropFirst().allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isAlphanumeric) })
        else { return nil }
        self.text = String(text)
        subtags = parts.map(String.init)
    }

    private init(subtags: [String]) {
        self.subtags = subtags
        text = subtags.joined(separator: "-")
    }

    static func == (a: Self, b: Self) -> Bool { a.subtags == b.subtags }

    func hash(into hasher: inout Hasher) { hasher.combine(subtags) }

    /// The tags that a lookup tries for this one (RFC 4647, section 3.4): each without the last part of the one before.
    var fallbacks: [LanguageTag] {
        var tags = [self]
        var rest = withScript
        while !rest.isEmpty {
            tags.append(LanguageTag(subtags: rest))
            rest.removeLast()
            if rest.last?.utf8.count == 1 { rest.removeLast() }
        }
        return tags
    }

    /// Chinese with the script of its region, which most clients leave out: `zh-TW` is `zh-Hant-TW`.
    private var withScript: [String] {
        guard subtags.count > 1, subtags[0] == "zh", let script = Self.scripts[subtags[1]] else { return subtags }
        return ["zh", script] + subtags.dropFirst()
    }

    private static let scripts = ["tw": "hant", "hk": "hant", "mo": "hant", "cn": "hans", "sg": "hans"]

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
