/// Keeps what others published and a restart must not lose.
package protocol DocumentStore: Sendable {
    func document(_ name: String) throws(StoreFailure) -> Document?

    /// Keeps a document under a name, in the place of the one before it.
    func keep(_ document: Document, as name: String) throws(StoreFailure)
}
