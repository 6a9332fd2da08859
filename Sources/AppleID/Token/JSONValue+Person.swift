import JSON

extension JSONValue {
    /// A name by which Apple knows a person: nil for a text that is none.
    var subject: String? {
        guard let subject = string, !subject.isEmpty, subject.utf8.count <= 256,
            !subject.utf8.contains(where: { $0 < 0x20 })
        else { return nil }
        return subject
    }

    /// An address. Missing and empty come to the same: some accounts have none.
    var email: String? {
        guard let email = string, !email.isEmpty, email.utf8.count <= 254 else { return nil }
        return email
    }
}
