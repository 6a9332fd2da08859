/// Where codes and notices go: a phone number in E.164, or a mail address in lower case. One party has one address in this
/// form, however it was written.
package struct CodeAddress: Sendable, Hashable {
    package var channel: CodeChannel
    package var text: String

    package init(_ channel: CodeChannel, _ text: String) {
        (self.channel, self.text) = (channel, text)
    }
}

/// How a code reaches a person.
package enum CodeChannel: String, Sendable, CaseIterable {
    case phone
    case email

    /// The provider of the accounts that a code of this channel proves.
    package var provider: Provider {
        switch self {
        case .phone: .phone
        case .email: .email
        }
    }

    /// Nil for a provider whose identities are not proven by codes.
    package init?(_ provider: Provider) {
        guard let channel = Self.allCases.first(where: { $0.provider == provider }) else { return nil }
        self = channel
    }
}

extension Provider {
    package static let phone = Provider(known: "PHONE")
    package static let email = Provider(known: "EMAIL")

    package var isProvenByCode: Bool { CodeChannel(self) != nil }
}
