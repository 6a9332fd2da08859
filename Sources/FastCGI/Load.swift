/// How much of what a responder has is in use.
package struct Load: Sendable, Equatable {
    package let openConnections: Int
    package let mostConnections: Int
    /// At work on a connection, or waiting for what a handler waits for.
    package let busyWorkers: Int
    package let workers: Int
}
