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
    package var attributes: Attributes?
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
    package var passkeys: [PasskeyLine] = []

    package init() {}
}

/// A public key by which a user signs in, as a line has it. Its bytes have been read.
package struct PasskeyLine: Sendable, Equatable {
    package var credentialID: [UInt8]
    /// In the form of COSE.
    package var publicKey: [UInt8]
    package var algorithm: Int64
    package var signCount: Int64?
    package var transports: [String] = []
    package var backupEligible: Bool?
    package var backedUp: Bool?
    package var aaguid: [UInt8] = []
    package var name: String?
    package var createdAt: String?
    package var lastUsedAt: String?

    package init(credentialID: [UInt8], publicKey: [UInt8], algorithm: Int64) {
        (self.credentialID, self.publicKey, self.algorithm) = (credentialID, publicKey, algorithm)
    }
}

/// What is wrong with a line. It names the member, and never contains a text of the line.
package struct LineFault: Error, Sendable, Hashable {
    /// Nil for a fault of the line as a whole.
    package let member: String?
    package let explanation: String

    package init(_ member: String?, _ explanation: String) {
        (self.member, self.explanation) = (member, explanation)
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

extension UserLine {
    /// The user of the line.
    package func checked(by rules: ImportRules) throws(LineFaults) -> ImportedUser {
        var check = LineCheck(rules)
        let identities = check.identities(of: self)
        let (address, isVerified) = address(among: identities.map(\.identity), &check)
        let user = ImportedUser(
            id: check.id(id), reference: check.text(reference, "ref", atMost: ImportRules.longestReference),
            identities: identities, email: address, emailVerified: isVerified,
            nickname: check.text(nickname, "nickname", atMost: ImportRules.longestName),
            avatarURL: check.avatar(avatarURL), role: check.role(role), status: check.status(status),
            onboardingCompleted: onboardingCompleted ?? false,
            createdAt: check.time(createdAt, "createdAt") ?? rules.now,
            lastLoginAt: check.time(lastLoginAt, "lastLoginAt"), attributes: check.attributes(attributes))
        guard check.faults.isEmpty else { throw LineFaults(check.faults) }
        return user
    }

    /// The user's address and whether it is verified. A line that does not say gets the first address of its identities, and
    /// of several the first that its provider has verified.
    private func address(among identities: [Identity], _ check: inout LineCheck) -> (String?, isVerified: Bool) {
        guard let email else {
            let source = identities.first(where: \.hasVerifiedEmail) ?? identities.first { $0.email != nil }
            if emailVerified == true, source?.hasVerifiedEmail != true {
                check.reject("emailVerified", "must not be true without email")
            }
            return (source?.email, source?.hasVerifiedEmail ?? false)
        }
        guard let address = check.address(email, "email") else {
            if email?.trimmedOrNil == nil, emailVerified == true {
                check.reject("emailVerified", "must not be true without email")
            }
            return (nil, false)
        }
        let source = identities.first { $0.email?.isSameAddress(as: address) == true }
        return (address, emailVerified ?? source?.hasVerifiedEmail ?? false)
    }
}
