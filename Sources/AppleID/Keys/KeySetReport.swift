/// What has become of Apple's key set, for the log.
package enum KeySetReport: Sendable, Equatable {
    /// It has been fetched. `skipped` says why keys of it were left out.
    case renewed(usableKeys: Int, skipped: [String])
    /// It could not be fetched, and one of this age goes on serving; nil where there is none that is still believed.
    case failed(KeySetFault, age: Duration?)
    /// One of this age, kept by an earlier process, serves for now.
    case restored(usableKeys: Int, age: Duration)
    /// What an earlier process kept is as good as nothing.
    case discarded(KeySetFault)
}
