/// How it stands with Apple's keys.
package struct KeySetVitals: Sendable, Equatable {
    /// Keys that identity tokens can be verified with right now.
    package let usableKeys: Int
    /// How long ago Apple published them for the last time that we know of; nil where there are none.
    package let age: Duration?
    /// Nil where none has been fetched since the start.
    package let lastFetchSucceeded: Bool?
}
