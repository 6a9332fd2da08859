/// What can happen to a user that other services are told of.
package enum EventType: String, Sendable, CaseIterable {
    case userCreated = "user.created"
    case userUpdated = "user.updated"
    case userDeleted = "user.deleted"
    case userDisabled = "user.disabled"
    case userEnabled = "user.enabled"
    case accountLinked = "account.linked"
    case accountUnlinked = "account.unlinked"
    case sessionRevoked = "session.revoked"
    case deviceAdded = "device.added"

    /// The part before the dot, which a receiver can ask for as a whole: `user`.
    package var group: String { String(rawValue.prefix { $0 != "." }) }
}
