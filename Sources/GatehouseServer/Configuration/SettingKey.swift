/// A key, and where it stands: in a setting, and on which of its lines where the setting has several keys.
struct SettingKey {
    let name: String
    var line: Int?
    let text: String

    /// For messages.
    var place: String { line.map { "\(name) line \($0)" } ?? name }

    /// What settings of one family have in common: their keys take turns.
    var family: String { name.hasSuffix(Self.suffix) ? String(name.dropLast(Self.suffix.utf8.count)) : name }

    static let suffix = "_PREVIOUS"
}

extension SettingReader {
    /// The keys that a setting had before, as far as its `…_PREVIOUS` holds any. Nil where that is set and cannot be read.
    mutating func previousKeys(of name: String, _ form: KeyList.Form) -> [SettingKey]? {
        let name = name + SettingKey.suffix
        let (isSet, text) = attempt(name)
        guard let text else { return isSet ? nil : [] }
        let list = KeyList(parsing: text, form)
        let entries = list.entries
        if list.hidesKey {
            note(
                name,
                "holds no key: a line that begins with # is a comment. Write a comment with a space behind the #, or "
                    + "remove a key that begins with #")
        }
        if entries.count > KeyList.most {
            let advice = "gatehouse keys retire removes those that are not needed any more"
            note(name, "holds \(entries.count) keys, and \(KeyList.most) at most are accepted: \(advice)")
        }
        return entries.map { SettingKey(name: name, line: entries.count > 1 ? $0.line : nil, text: $0.text) }
    }

    mutating func note(_ key: SettingKey, _ message: String) {
        note(key.name, (key.line.map { "line \($0) " } ?? "") + message)
    }

    /// The same key twice in one family is what a `gatehouse keys rotate` leaves that was interrupted. It gives access
    /// to no other party, so the server starts.
    mutating func warnOfRepetition(_ key: SettingKey, _ earlier: SettingKey) {
        warn(
            "\(key.place) is the same key as \(earlier.place): remove one of the two, or run gatehouse keys rotate again"
        )
    }
}
