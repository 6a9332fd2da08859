/// A user who was looked for by an id or an email address.
package struct FoundUser: Sendable, Equatable {
    package let record: UserRecord
    /// Whether the name is the user's id, or an address that a provider has confirmed to be theirs.
    package let isProven: Bool

    package init(record: UserRecord, isProven: Bool) {
        self.record = record
        self.isProven = isProven
    }
}
