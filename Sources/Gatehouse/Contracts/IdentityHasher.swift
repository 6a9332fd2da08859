/// Makes keyed hashes of identities. The store recognises an identity by its hash where it must not keep the identity.
package protocol IdentityHasher: Sendable {
    func hash(_ name: String, of provider: Provider) -> [UInt8]
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
        return names.map { hash($0, of: provider) }
    }
}
