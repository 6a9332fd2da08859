import JSON

extension FieldReader {
    /// Nil where the member is missing; otherwise what is read of it, and nil within for `null`.
    mutating func change(
        _ name: String, read: (inout FieldReader) -> String?
    ) -> String?? {
        has(name) ? .some(read(&self)) : nil
    }

    /// True or false where the member is there. It cannot be taken away.
    mutating func changeFlag(_ name: String) -> Bool? {
        guard has(name) else { return nil }
        let flag = self[name]?.bool
        if flag == nil { note(name, "must be true or false") }
        return flag
    }

    /// An address of something to fetch over TLS.
    mutating func optionalURL(_ name: String) -> String? {
        guard let text = optional(name, atMost: FieldLimit.url) else { return nil }
        let host = text.dropFirst(8).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let isFit =
            text.lowercased().hasPrefix("https://") && !host.isEmpty && !host.contains("@")
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"<>"\^`{|}"#.utf8.contains($0) }
        if !isFit { note(name, "must be an https URL") }
        return text
    }
}
