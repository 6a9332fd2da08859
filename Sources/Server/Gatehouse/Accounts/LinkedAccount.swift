import Text

/// A user's account at a provider: one way to log in.
package struct LinkedAccount: Sendable, Equatable {
    package var provider: Provider
    package var subject: String
    package var email: String?
    /// Whether the provider has confirmed the address; nil when it has never said.
    package var emailVerified: Bool?
    /// An address that only the client sent.
    package var emailHint: String?
    package var isPrivateEmail: Bool?
    /// Whether Apple forwards mail to the user; nil when Apple has never said.
    package var isMailForwarded: Bool?
    /// Apple's estimate whether this is a real person: 0, 1 or 2.
    package var realUserStatus: Int64?
    /// The estimate that only the client sent.
    package var realUserStatusHint: Int64?
    /// The subject that another developer team sees.
    package var transferSubject: String?
    /// The subject that all apps of the operator see at this provider.
    package var unionSubject: String?
    /// The subject before the app was transferred to another developer team.
    package var formerSubject: String?
    package var linkedAt: Timestamp

    package init(_ identity: Identity, linkedAt moment: Timestamp) {
        (provider, subject, linkedAt) = (identity.provider, identity.subject, moment)
        (email, emailVerified, emailHint) = (identity.email, identity.emailVerified, identity.emailHint)
        isPrivateEmail = identity.isPrivateEmail
        realUserStatus = identity.realUserStatus.map(Int64.init)
        realUserStatusHint = identity.realUserStatusHint.map(Int64.init)
        (transferSubject, unionSubject) = (identity.transferSubject, identity.unionSubject)
    }
}

/// The account of an identity, and its user.
package typealias KnownIdentity = (account: LinkedAccount, user: User)

extension LinkedAccount {
    /// The account after another login. A claim that the provider leaves out keeps its value, and the client's hints keep
    /// their first one. Nil if nothing changes: then the store does not write the row.
    ///
    /// The subject changes when the app was transferred to another developer team, which gives all users new ones. It does
    /// not change when another app of the operator has another subject for the same person.
    package func updated(from identity: Identity) -> LinkedAccount? {
        // A token of the former team is older than what is known since.
        guard !isFormer(identity) else { return nil }
        var account = self
        account.takeSubject(of: identity)
        account.unionSubject = unionSubject ?? identity.unionSubject
        // Not by ==, which treats more addresses as equal.
        let hasOtherAddress = identity.email.map { email?.hasSameBytes(as: $0) != true } ?? false
        if let address = identity.email {
            // Until the provider says so, a new address counts as neither verified nor unverified.
            account.emailVerified = identity.emailVerified ?? (hasOtherAddress ? nil : emailVerified)
            account.email = address
        }
        account.isPrivateEmail = identity.isPrivateEmail ?? isPrivateEmail
        account.realUserStatus = identity.realUserStatus.map(Int64.init) ?? realUserStatus
        account.realUserStatusHint = identity.realUserStatusHint.map(Int64.init) ?? realUserStatusHint
        account.emailHint = emailHint ?? identity.emailHint
        account.transferSubject = transferSubject ?? identity.transferSubject
        return hasOtherAddress || account != self ? account : nil
    }

    /// Changes the subject to the one of an identity that was found by another name, and keeps the former one.
    mutating func takeSubject(of identity: Identity) {
        guard identity.unionSubject == nil, identity.subject != subject, !isFormer(identity) else { return }
        formerSubject = subject
        subject = identity.subject
    }

    /// Whether an identity has the subject from before a transfer of the app. Apps may still have such a token after it.
    func isFormer(_ identity: Identity) -> Bool {
        identity.provider == provider && identity.subject == formerSubject && identity.subject != subject
    }

    /// Whether a user's address came from this account: it is the oldest one that has the address, or none has it.
    ///
    /// - Parameter accounts: all of the user, the oldest first.
    func isSource(of address: String, among accounts: [LinkedAccount]) -> Bool {
        let source = accounts.first { $0.email?.isSameAddress(as: address) == true }
        return source == nil || source?.provider == provider && source?.subject == subject
    }
}

extension User {
    /// The user after an identity was linked. If it has the user's address, the provider decides whether that is verified.
    /// Nil if nothing changes.
    func verified(by identity: Identity) -> User? {
        guard let verified = identity.emailVerified, verified != emailVerified, let email,
            identity.email?.isSameAddress(as: email) == true
        else { return nil }
        var user = self
        user.emailVerified = verified
        return user
    }

    /// The user after the account that their address came from was replaced. Nil if the identity has no address.
    func readdressed(by identity: Identity) -> User? {
        guard let email = identity.email else { return nil }
        var user = self
        (user.email, user.emailVerified) = (email, identity.hasVerifiedEmail)
        return user
    }

    /// The user after an account was unlinked. If no remaining account has the user's address, the user gets the address
    /// of the oldest remaining account that has one. Nil if the user keeps their address.
    ///
    /// - Parameter accounts: those that are left to the user, the oldest first.
    func addressed(byOneOf accounts: [LinkedAccount]) -> User? {
        if let email, accounts.contains(where: { $0.email?.isSameAddress(as: email) == true }) { return nil }
        guard let source = accounts.first(where: { $0.email != nil }) else { return nil }
        var user = self
        (user.email, user.emailVerified) = (source.email, source.emailVerified ?? false)
        return user
    }
}

extension String {
    /// Compares addresses as the databases do: byte by byte, with A to Z in either case. Swift's own comparison treats more
    /// characters as equal.
    func isSameAddress(as other: String) -> Bool {
        hasSameBytes(as: other) || withLowerASCII.hasSameBytes(as: other.withLowerASCII)
    }

    /// Arrays are compared faster than views of texts.
    func hasSameBytes(as other: String) -> Bool { Array(utf8) == Array(other.utf8) }

    /// With A to Z in lower case, and every other byte as it is: what `lower` returns in the databases.
    package var withLowerASCII: String {
        String(decoding: utf8.map { $0.isUppercaseLetter ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
