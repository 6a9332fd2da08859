import JSON

extension JSONValue {
    /// A name by which Apple knows a person: nil for a text that is none.
    var subject: String? {
        guard let subject = string, (1...256).contains(subject.utf8.count), !subject.hasControlCharacters else {
            return nil
        }
        return subject
    }

    /// An address. Missing and empty come to the same: some accounts have none.
    var email: String? {
        guard let email = string, !email.isEmpty, email.utf8.count <= 254 else { return nil }
        return email
    }
}

extension String {
    /// Looks at every byte without stopping early: a loop over a span without a way out is done in strides.
    fileprivate var hasControlCharacters: Bool {
        let bytes = utf8.span
        var found: UInt8 = 0
        for index in bytes.indices { found |= bytes[index] < 0x20 ? 1 : 0 }
        return found != 0
    }
}
