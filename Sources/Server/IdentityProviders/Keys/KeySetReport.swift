/// What happened to a provider's key set, for the log.
package enum KeySetReport: Sendable, Equatable {
    /// Takes a report, and the id of the request that caused it; nil for a renewal in the background.
    package typealias Handler = @Sendable (_ report: KeySetReport, _ requestID: String?) -> Void

    /// The set was fetched. `skipped` has the reasons why keys of it were left out.
    case renewed(usableKeys: Int, skipped: [String])
    /// The set could not be fetched. The set of this age stays in use; nil if there is none that is recent enough.
    case failed(KeySetFault, age: Duration?)
    /// A set of this age, which an earlier process saved, is used for now.
    case restored(usableKeys: Int, age: Duration)
    /// The set that an earlier process saved cannot be used.
    case discarded(KeySetFault)
}

/// Why a key set cannot be used.
package struct KeySetFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// For the log.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
