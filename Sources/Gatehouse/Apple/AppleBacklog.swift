/// How much of a kind is still to be asked of Apple.
package struct AppleBacklog: Sendable, Equatable {
    package let kind: AppleTask.Kind
    package let count: Int
    /// Since when the oldest waits; nil where there is none.
    package let since: Timestamp?

    package init(kind: AppleTask.Kind, count: Int, since: Timestamp?) {
        self.kind = kind
        self.count = count
        self.since = since
    }
}
