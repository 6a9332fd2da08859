/// What a provider states about a user at a login. Provider and subject together find the account; an
/// email address never does.
package struct Identity: Sendable, Equatable {
    package let provider: Provider
    package let subject: String
    /// The address in the provider's token.
    package var email: String?
    /// Whether the provider has confirmed that the address belongs to the person; nil when it does not say.
    package var emailVerified: Bool?
    /// An address that only the client sent. It is kept for support, and never trusted.
    package var emailHint: String?
    package var isPrivateEmail: Bool?
    package var realUserStatus: Int?
    /// The status that only the client sent.
    package var realUserStatusHint: Int?
    /// The subject under which another developer team knew this identity, after a transfer of the app.
    package var transferSubject: String?
    /// The subject that all apps of the operator see at this provider. It finds the account as well, since another app has
    /// another subject.
    package var unionSubject: String?

    package init(
        provider: Provider, subject: String, email: String?, emailVerified: Bool? = nil, emailHint: String? = nil,
        isPrivateEmail: Bool? = nil, realUserStatus: Int? = nil, realUserStatusHint: Int? = nil,
        transferSubject: String? = nil, unionSubject: String? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.emailVerified = emailVerified
        self.emailHint = emailHint
        self.isPrivateEmail = isPrivateEmail
        self.realUserStatus = realUserStatus
        self.realUserStatusHint = realUserStatusHint
        self.transferSubject = transferSubject
        self.unionSubject = unionSubject
    }

    package var hasVerifiedEmail: Bool { email != nil && emailVerified == true }
}

/// Makes keyed hashes of identities. The store uses them to recognise an identity that it is not allowed to keep.
package protocol IdentityHasher: Sendable {
    /// One hash for each key, since an identity may have been stored with any of them.
    func hashes(of name: String, by provider: Provider) -> [[UInt8]]
}

extension IdentityHasher {
    /// The hashes of each subject under which an identity can log in again: the current one, the ones before and after a
    /// transfer of the app, and the one that other apps of the operator see.
    package func hashes(of identity: Identity) -> [[UInt8]] {
        hashes(
            of: identity.provider, subject: identity.subject, transfer: identity.transferSubject,
            union: identity.unionSubject)
    }

    package func hashes(of account: LinkedAccount) -> [[UInt8]] {
        hashes(
            of: account.provider, subject: account.subject, transfer: account.transferSubject,
            union: account.unionSubject)
            + (account.formerSubject.map { hashes(of: "subject " + $0, by: account.provider) } ?? [])
    }

    private func hashes(of provider: Provider, subject: String, transfer: String?, union: String?) -> [[UInt8]] {
        let names = ["subject " + subject, transfer.map { "transfer " + $0 }, union.map { "union " + $0 }]
        return names.compactMap(\.self).flatMap { hashes(of: $0, by: provider) }
    }
}
