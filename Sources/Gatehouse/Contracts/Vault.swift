/// Keeps what must not be read out of the database.
package protocol Vault: Sendable {
    /// Encrypts a secret. It can only be opened for the same owner.
    func seal(_ secret: String, for owner: UserID) -> [UInt8]

    /// Nil where it was sealed for somebody else, by another key, or has been changed since.
    func open(_ sealed: [UInt8], for owner: UserID) -> String?
}
