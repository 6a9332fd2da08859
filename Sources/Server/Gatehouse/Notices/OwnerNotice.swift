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
        case .newDevice, .accountLinked, .accountUnlinked, .passkeyAdded, .accountsJoined: true
        case .phoneChanged, .emailChanged, .staleNumberUsed: false
        }
    }
}

/// A change of an account, of which its owner is told.
package enum OwnerChange: Sendable {
    case newDevice
    case staleNumberUsed
    case linked
    case passkeyAdded
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
        case .passkeyAdded: add(.passkeyAdded, verifiedAddress)
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

/// The outbox of notices. Each write that changes an account adds them in its transaction.
package protocol NoticeStore: Sendable {
    /// Takes the first notice that is due. No other caller takes it within `QueuedNotice.lease`. It is taken again unless it is
    /// finished or postponed by then, for example because the process has ended.
    func takeNotice(now: Timestamp) throws(Refusal) -> QueuedNotice?

    func postpone(_ notice: QueuedNotice, until moment: Timestamp) throws(Refusal)

    /// Forgets the address of a notice that is sent, or that cannot be. It counts on for the limit.
    func finish(_ notice: QueuedNotice) throws(Refusal)
}

/// A notice that waits to be sent.
package struct QueuedNotice: Sendable, Equatable {
    /// Longer than a message takes.
    package static let lease = Duration.seconds(60)
    /// How long a row is kept: longer than a notice is tried, and longer than it counts.
    package static let lifetime = OwnerNotice.window * 2

    package let id: Int64
    package let notice: OwnerNotice
    /// How often it was taken, with this time.
    package let attempts: Int64

    package init(id: Int64, notice: OwnerNotice, attempts: Int64) {
        (self.id, self.notice, self.attempts) = (id, notice, attempts)
    }

    /// For a day where nothing goes out; a message that may have arrived is repeated twice at most. Counted, since clocks may be
    /// wrong.
    fileprivate func nextAttempt(after fault: DeliveryFault, now: Timestamp) -> Timestamp? {
        if case .refused = fault { return nil }
        let permitted: Int64 = fault.hasSentNothing ? 28 : 3
        return attempts < permitted ? now + .seconds(60 << min(attempts - 1, 6)) : nil
    }
}

/// What became of an attempt to send a notice.
package enum NoticeOutcome: String, Sendable, CaseIterable {
    case sent
    /// It is tried again.
    case failed
    case givenUp = "given_up"
}

extension AuthService {
    /// Sends the next notice that is due. False when there is none.
    package func sendNextNotice(from outbox: any NoticeStore) throws(Refusal) -> Bool {
        guard let queued = try outbox.takeNotice(now: platform.now()) else { return false }
        let notice = queued.notice
        let isWanted = policy.tellsOwners || !notice.content.isOptional
        if isWanted, policy.codes.testCodes[notice.to] == nil, let sender = senders[notice.to.channel] {
            try send(queued, by: sender, from: outbox)
        } else {
            try outbox.finish(queued)
        }
        return true
    }

    /// In the language of the installation: an attacker may have made the request.
    private func send(
        _ queued: QueuedNotice, by sender: any MessageSender, from outbox: any NoticeStore
    ) throws(Refusal) {
        let (content, address) = (queued.notice.content, queued.notice.to)
        do throws(DeliveryFault) {
            try sender.send(OutgoingMessage(to: address, content: .notice(content)), requestID: nil)
        } catch {
            report(.messageNotDelivered(address.channel, error), nil)
            let next = queued.nextAttempt(after: error, now: platform.now())
            report(.ownerNotice(content, next == nil ? .givenUp : .failed), nil)
            if let next { try outbox.postpone(queued, until: next) } else { try outbox.finish(queued) }
            return
        }
        report(.ownerNotice(content, .sent), nil)
        try outbox.finish(queued)
    }
}
