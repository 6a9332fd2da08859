// The rules for texts of a profile, for requests and for files of users.

extension String {
    package var hasControlCharacters: Bool {
        // Almost every text is ASCII, whose control characters need no table of Unicode.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return false }
        return unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Text on both sides of one `@`. Whether mail arrives there is not checked.
    package var isPlausibleAddress: Bool {
        let at = UInt8(ascii: "@")
        if utf8.allSatisfy(\.isVisible) {
            return utf8.first != at && utf8.last != at && utf8.count { $0 == at } == 1
        }
        // By scalars: a combining mark after the @ would hide it from a search by characters.
        let parts = unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// An https URL with a host, and without a user.
    package var isHTTPSAddress: Bool {
        let host = dropFirst(8).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return lowercased().hasPrefix("https://") && !host.isEmpty && !host.contains("@")
            && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"<>"\^`{|}"#.utf8.contains($0) }
    }
}
