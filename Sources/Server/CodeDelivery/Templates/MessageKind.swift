import Gatehouse

/// What a message is about. Its name is the first part of a template's file name.
enum MessageKind: Hashable, Sendable {
    case code
    case notice(OutgoingMessage.Notice)

    static let all: [MessageKind] = [.code] + OutgoingMessage.Notice.allCases.map(MessageKind.notice)

    init(_ content: OutgoingMessage.Content) {
        switch content {
        case .code: self = .code
        case .notice(let notice): self = .notice(notice)
        }
    }

    /// Nil for a name that no kind has.
    init?(named name: String) {
        guard let kind = Self.all.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    var name: String {
        switch self {
        case .code: "code"
        case .notice(let notice): notice.rawValue
        }
    }

    /// Where it goes. Of the notices, a former number gets one; the others go to a mail address (`User.notices`).
    var channels: [CodeChannel] {
        switch self {
        case .code, .notice(.phoneChanged): CodeChannel.allCases
        case .notice: [.email]
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
