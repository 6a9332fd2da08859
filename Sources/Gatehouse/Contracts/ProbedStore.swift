/// A store that can be asked how it is.
package protocol ProbedStore: Sendable {
    /// Reads something, however little.
    func probeReading() throws(StoreFailure)

    /// Commits something small, as any other write.
    func probeWriting() throws(StoreFailure)

    /// How the last write ended, whoever's it was; nil before the first.
    var lastWrite: WriteOutcome? { get }
}
