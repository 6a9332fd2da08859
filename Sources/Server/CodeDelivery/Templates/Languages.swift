import Text

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
            (2...8).contains(first.utf8.count), first.utf8.allSatisfy(\.isLetter),
            parts.dropFirst().allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isAlphanumeric) })
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
}

/// The languages that a client prefers, from the header field `Accept-Language` (RFC 9110, section 12.5.4).
enum AcceptLanguage {
    /// A longer header field is ignored: browsers send less than a tenth of it.
    static let longest = 1000
    static let mostRanges = 20

    /// The tags, the most preferred one first. Parts that are malformed or refused by `q=0` are left out.
    static func tags(_ field: String?) -> [LanguageTag] {
        guard let field, field.utf8.count <= longest else { return [] }
        var ranges: [(tag: LanguageTag, weight: Int)] = []
        for part in field.split(separator: ",").prefix(mostRanges) {
            if let range = range(part), range.weight > 0 { ranges.append(range) }
        }
        // The sort of the standard library is not documented to keep the order of equal elements.
        return ranges.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.tag)
    }

    private static func range(_ part: Substring) -> (tag: LanguageTag, weight: Int)? {
        let fields = part.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard let tag = LanguageTag(fields[0]) else { return nil }
        guard fields.count > 1 else { return (tag, 1000) }
        guard fields.count == 2, let weight = weight(fields[1]) else { return nil }
        return (tag, weight)
    }

    /// A weight such as `q=0.5`, in thousandths.
    private static func weight(_ field: Substring) -> Int? {
        guard field.hasPrefix("q=") || field.hasPrefix("Q=") else { return nil }
        let digits = field.dropFirst(2).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = digits.first, whole == "0" || whole == "1" else { return nil }
        let fraction = digits.count > 1 ? digits[1] : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy(\.isDigit) else { return nil }
        let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count)) ?? 0
        return min(1000, (whole == "1" ? 1000 : 0) + thousandths)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start[..<(start.lastIndex { $0 != " " && $0 != "\t" }.map(start.index(after:)) ?? start.startIndex)]
    }
}
