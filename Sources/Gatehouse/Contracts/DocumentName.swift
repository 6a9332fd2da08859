/// Names of documents that more than one part knows.
package enum DocumentName {
    /// Kept by whoever has just made a backup that is good; it is the moment that counts.
    package static let lastBackup = "last_backup"
    /// The sealed keys of the hashes by which removed identities are recognised.
    package static let identityHashKeys = "identity_hash_keys"
}
