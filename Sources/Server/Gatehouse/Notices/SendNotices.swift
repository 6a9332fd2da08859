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
        self.id = id
        self.notice = notice
        self.attempts = attempts
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
        guard let queued = try outbox.takeNotice(now: primitives.now()) else { return false }
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
            let next = queued.nextAttempt(after: error, now: primitives.now())
            report(.ownerNotice(content, next == nil ? .givenUp : .failed), nil)
            if let next { try outbox.postpone(queued, until: next) } else { try outbox.finish(queued) }
            return
        }
        report(.ownerNotice(content, .sent), nil)
        try outbox.finish(queued)
    }
}
