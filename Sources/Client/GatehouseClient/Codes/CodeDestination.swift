/// Where the server sends a code: a phone number or a mail address.
public struct CodeDestination: Codable, Hashable, Sendable {
    enum Channel: String, Codable, Sendable {
        case phone
        case email
    }

    let channel: Channel
    /// As the user wrote it, to show where the code was sent.
    public let address: String

    /// - Parameter number: with `+` and the calling code, such as `+86 138 0013 8000`. Without them it is read as one of
    ///   the server's `PHONE_DEFAULT_COUNTRY`.
    public static func phone(_ number: String) -> CodeDestination {
        CodeDestination(channel: .phone, address: number)
    }

    public static func email(_ address: String) -> CodeDestination {
        CodeDestination(channel: .email, address: address)
    }

    /// Of the accounts that a code proves.
    public var provider: Provider {
        switch channel {
        case .phone: .phone
        case .email: .email
        }
    }
}

/// It is personal, so it does not print itself.
extension CodeDestination: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "CodeDestination(\(channel.rawValue) …)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
