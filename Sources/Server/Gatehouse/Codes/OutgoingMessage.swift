/// A text that Gatehouse sends to a person.
package struct OutgoingMessage: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case code(String, lifetime: Duration)
        case notice(Notice)
    }

    /// What a person is told about their account at an address that it has or had.
    package enum Notice: String, Sendable, CaseIterable {
        /// To the former number: its user has replaced or removed it.
        case phoneChanged = "phone_changed"
        /// To the former address: its user has replaced or removed it.
        case emailChanged = "email_changed"
        /// To the account's address: its number, which was unused for a long time, has signed in.
        case staleNumberUsed = "stale_number_used"
        case newDevice = "new_device"
        /// A way to sign in was added to the account.
        case accountLinked = "account_linked"
        case accountUnlinked = "account_unlinked"
        case passkeyAdded = "passkey_added"
        /// Two accounts became one. To the address of each.
        case accountsJoined = "accounts_joined"
    }

    package let to: CodeAddress
    package let content: Content
    /// The languages that the client prefers, as in `Accept-Language`; nil when it does not say.
    package let acceptLanguage: String?

    package init(to: CodeAddress, content: Content, acceptLanguage: String? = nil) {
        (self.to, self.content, self.acceptLanguage) = (to, content, acceptLanguage)
    }
}

/// Sends texts of one channel.
package protocol MessageSender: Sendable {
    /// Returns when the gateway or the mail server has accepted the message. Blocks for five seconds at most.
    func send(_ message: OutgoingMessage, requestID: String?) throws(DeliveryFault)

    /// Connects to the gateway or the mail server, without a message.
    func probe() throws(DeliveryFault)
}

/// Why a message was not accepted. None of them contains an address, a code or a secret.
package enum DeliveryFault: Error, Sendable, Equatable {
    /// No answer, or none in time. The message may have been sent.
    case timeout
    /// No connection, no TLS, or a mail server that takes no message now: nothing was sent.
    case unavailable(String)
    /// An error that does not say whether the message was sent.
    case failed(String)
    /// The receiver limits how much Gatehouse or this address may send.
    case limited(String)
    /// The receiver refuses this address or this message, and will do so again.
    case refused(String)
    /// The receiver refuses Gatehouse's credentials or signature: an operator has to correct the settings.
    case misconfigured(String)
    /// Too many requests wait for the receiver: it was not asked.
    case crowded

    /// For metrics.
    package var label: String {
        switch self {
        case .timeout: "timeout"
        case .unavailable, .failed: "unavailable"
        case .limited: "limited"
        case .refused: "refused"
        case .misconfigured: "misconfigured"
        case .crowded: "crowded"
        }
    }

    /// Whether the receiver fails, and not an address or a limit.
    package var isOfReceiver: Bool {
        switch self {
        case .timeout, .unavailable, .failed, .misconfigured: true
        case .limited, .refused, .crowded: false
        }
    }

    package static let all: [DeliveryFault] = [
        .timeout, .unavailable(""), .limited(""), .refused(""), .misconfigured(""), .crowded,
    ]
}
