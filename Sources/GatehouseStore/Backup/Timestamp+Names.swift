import Gatehouse

extension Timestamp {
    /// The second, as a part of a name of a file: `2026-11-21T201500Z`. Such names sort by time.
    var forNames: String {
        description.prefix(19).filter { $0 != ":" } + "Z"
    }
}
