extension Request {
    /// Whether the client says that it has what goes by this tag already (RFC 9110, section 13.1.2).
    ///
    /// Tags are compared weakly, as is due where nothing but a body is saved. A list can be cut at its commas even
    /// though a tag may contain some, since ours contains none.
    func hasCopy(tagged tag: String) -> Bool {
        (text(of: .ifNoneMatch) ?? "").split(separator: ",").contains { entry in
            let known = entry.drop(while: Self.isSpace)
            let strong = known.hasPrefix("W/") ? known.dropFirst(2) : known
            let bare = strong.prefix { !Self.isSpace($0) }
            return bare == "*" || bare == "\"\(tag)\""
        }
    }

    private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
}
