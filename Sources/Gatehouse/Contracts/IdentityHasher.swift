/// Makes keyed hashes of identities. The store recognises an identity by its hashes where it must not keep the identity.
package protocol IdentityHasher: Sendable {
    /// One hash by each key there is: any of them may have been kept.
    func hashes(of name: String, by provider: Provider) -> [[UInt8]]
}

extension IdentityHasher {
    /// The hashes of every name by which an identity can come back: that of today, and the one after a transfer of the app.
    package func hashes(of identity: Identity) -> [[UInt8]] {
        hashes(of: identity.provider, subject: identity.subject, transferSubject: identity.transferSubject)
    }

    package func hashes(of account: LinkedAccount) -> [[UInt8]] {
        hashes(of: account.provider, subject: account.subject, transferSubject: account.transferSubject)
    }

    private func hashes(of provider: Provider, subject: String, transferSubject: String?) -> [[UInt8]] {
        let names = ["subject " + subject] + (transferSubject.map { ["transfer " + $0] } ?? [])
        return names.flatMap { hashes(of: $0, by: provider) }
    }
}
