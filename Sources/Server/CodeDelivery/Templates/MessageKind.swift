import Gatehouse

/// What a message is about. The first part of a template's file name.
enum MessageKind: String, CaseIterable, Sendable {
    case code
    case phoneChanged = "phone_changed"
    case emailChanged = "email_changed"
    case staleNumberUsed = "stale_number_used"
    case newDevice = "new_device"
    case accountLinked = "account_linked"
    case accountUnlinked = "account_unlinked"
    case accountsJoined = "accounts_joined"

    init(_ content: OutgoingMessage.Content) {
        switch content {
        case .code: self = .code
        case .notice(.phoneChanged): self = .phoneChanged
        case .notice(.emailChanged): self = .emailChanged
        case .notice(.staleNumberUsed): self = .staleNumberUsed
        case .notice(.newDevice): self = .newDevice
        case .notice(.accountLinked): self = .accountLinked
        case .notice(.accountUnlinked): self = .accountUnlinked
        case .notice(.accountsJoined): self = .accountsJoined
        }
    }

    /// The placeholders that its templates may have.
    var placeholders: [Placeholder] { self == .code ? Placeholder.allCases : [.app, .domain] }
}

/// What a template leaves open.
enum Placeholder: String, CaseIterable, Sendable {
    case code, app, minutes, domain

    /// As a template has it.
    var text: String { "{\(rawValue)}" }
}

/// What stands for the placeholders of one message.
struct MessageValues {
    let app: String
    let domain: String?
    let content: OutgoingMessage.Content

    /// Nil where the message has no such value.
    subscript(_ placeholder: Placeholder) -> String? {
        switch (placeholder, content) {
        case (.app, _): app
        case (.domain, _): domain
        case (.code, .code(let code, _)): code
        case (.minutes, .code(_, let lifetime)): "\(lifetime.wholeMinutes)"
        case (.code, .notice), (.minutes, .notice): nil
        }
    }
}

extension Duration {
    /// Rounded down, since a code must not end before its message says so; at least one.
    fileprivate var wholeMinutes: Int64 { max(1, components.seconds / 60) }
}
