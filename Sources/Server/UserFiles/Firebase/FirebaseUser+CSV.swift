extension FirebaseUser {
    /// The columns of the providers, from the first of four: id, address, name, picture. The first 26 columns are in the
    /// documentation of `auth:import`; the ones from 28 on were added to the command in 2026.
    private static let columns = [
        ("google.com", 7), ("facebook.com", 11), ("twitter.com", 15), ("github.com", 19), ("apple.com", 28),
        ("microsoft.com", 32), ("gc.apple.com", 36), ("playgames.google.com", 40), ("linkedin.com", 44),
        ("yahoo.com", 48),
    ]

    /// Nil for a record that cannot be a user. The file has no line with the names of the columns.
    init?(_ fields: [String]) {
        func field(_ index: Int) -> String? { index < fields.count && !fields[index].isEmpty ? fields[index] : nil }
        guard fields.count >= 7, let uid = field(0) else { return nil }
        self.uid = uid
        email = field(1)
        isEmailVerified = field(2) == "true"
        hasPassword = field(3) != nil
        name = field(5)
        photo = field(6)
        createdAt = field(23)
        lastLoginAt = field(24)
        phone = field(25)
        isDisabled = field(26) == "true"
        accounts = Self.columns.compactMap { provider, index in
            field(index).map { Account(provider: provider, subject: $0, email: field(index + 1)) }
        }
    }
}
