/// What the owner of an account is told about a change of it. The store writes it in the transaction of the change.
///
/// It goes to the addresses that the user had before: an attacker may have changed them.
package struct OwnerNotice: Sendable, Equatable {
    package let content: OutgoingMessage.Notice
    package let userID: UserID
    package let to: CodeAddress
    package let moment: Timestamp

    package init(_ content: OutgoingMessage.Notice, of user: UserID, to address: CodeAddress, at moment: Timestamp) {
        self.content = content
        userID = user
        to = address
        self.moment = moment
    }

    /// Within this time, the notices to one user are counted.
    package static let window = Duration.seconds(86_400)
}

extension OutgoingMessage.Notice {
    /// The most notices within `OwnerNotice.window` with which this one is still sent. Logins alone, which cost an attacker who has a
    /// code little, leave room for what changes the account.
    package var permittedBefore: Int64 { self == .newDevice ? 2 : 5 }

    /// Whether a setting turns it off. The others are about an address to which codes may have gone.
    package var isOptional: Bool {
        switch self {
        case .newDevice, .accountLinked, .accountUnlinked, .accountsJoined: true
        case .phoneChanged, .emailChanged, .staleNumberUsed: false
        }
    }
}

/// A change of an account, of which its owner is told.
package enum OwnerChange: Sendable {
    case newDevice
    case staleNumberUsed
    case linked
    /// A way to sign in was removed or replaced.
    case removed(LinkedAccount)
    case joined
    /// A provider has told another address for the user.
    case readdressed
}

extension User {
    /// The notices of a change of this user, as they were before it. At most one for each address.
    package func notices(of change: OwnerChange, at moment: Timestamp) -> [OwnerNotice] {
        var notices: [OwnerNotice] = []
        func add(_ content: OutgoingMessage.Notice, _ address: CodeAddress?) {
            guard let address, !notices.contains(where: { $0.to == address }) else { return }
            notices.append(OwnerNotice(content, of: id, to: address, at: moment))
        }
        switch change {
        case .newDevice: add(.newDevice, verifiedAddress)
        case .staleNumberUsed: add(.staleNumberUsed, verifiedAddress)
        case .linked: add(.accountLinked, verifiedAddress)
        case .joined: add(.accountsJoined, verifiedAddress)
        case .readdressed: add(.emailChanged, verifiedAddress)
        case .removed(let account):
            let former = CodeChannel(account.provider).map { CodeAddress($0, account.subject) }
            add(former?.channel == .phone ? .phoneChanged : .emailChanged, former)
            add(former?.channel == .phone ? .phoneChanged : .accountUnlinked, verifiedAddress)
        }
        return notices
    }

    /// The mail address that a provider or a code has verified.
    private var verifiedAddress: CodeAddress? {
        guard emailVerified, let email, let address = try? EmailAddress(email) else { return nil }
        return CodeAddress(.email, address.text)
    }
}
