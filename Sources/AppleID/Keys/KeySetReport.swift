/// What a key set that was fetched is good for.
package struct KeySetReport: Sendable, Equatable {
    package let usableKeys: Int
    /// Why keys of it, or all of it, were left out.
    package let faults: [String]
}
