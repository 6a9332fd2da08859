/// A line of a file of users as it was written: nothing of it has been checked yet.
package struct UserLine: Sendable, Equatable {
    package var id: String?
    /// The id of the user in the system from which they come. It is repeated in the report, and not stored.
    package var reference: String?
    package var identities: [IdentityLine] = []
    /// The outer nil when the line does not say: then the address is that of an identity. An inner nil for no address.
    package var email: String??
    package var emailVerified: Bool?
    /// Short for an identity at `PHONE`.
    package var phone: String?
    package var nickname: String?
    package var avatarURL: String?
    package var role: String?
    package var status: String?
    package var onboardingCompleted: Bool?
    package var createdAt: String?
    package var lastLoginAt: String?

    package init() {}
}

/// A way to sign in, as a line has it.
package struct IdentityLine: Sendable, Equatable {
    /// In lower case.
    package var provider: String?
    package var subject: String?
    package var email: String?
    package var emailVerified: Bool?
    package var isPrivateEmail: Bool?
    package var transferSubject: String?
    package var unionSubject: String?
    package var linkedAt: String?

    package init() {}
}

/// What is wrong with a line. It names the member, and never contains a text of the line.
package struct LineFault: Error, Sendable, Hashable {
    /// Nil for a fault of the line as a whole.
    package let member: String?
    package let explanation: String

    package init(_ member: String?, _ explanation: String) {
        self.member = member
        self.explanation = explanation
    }

    /// `identities[0].subject must not be empty`
    package var sentence: String { member.map { "\($0) \(explanation)" } ?? explanation }
}

/// All faults of a line.
package struct LineFaults: Error, Sendable, Equatable {
    package let faults: [LineFault]

    package init(_ faults: [LineFault]) {
        self.faults = faults
    }
}
