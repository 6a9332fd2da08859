import POSIX

/// Ending connections between two requests: those that have been idle too long, and the longest idle one of a full table.
extension Worker {
    /// How many candidates are looked at to make room for one connection. A candidate fails only if a request has just
    /// arrived on it, so more than a few in a row mean that the table is full of busy connections.
    private static let attemptsToMakeRoom = 16

    /// Gives an accepted connection its place, in a full table that of the connection that has been idle longest.
    func admit(_ accepted: consuming FileDescriptor) -> Connection? {
        responder.connections.admit(accepted, makingRoom: makeRoom)
    }

    func isIdleTooLong(_ connection: Connection, at now: MonotonicTime) -> Bool {
        connection.idleSince.map { $0 + responder.limits.idleFor <= now } ?? false
    }

    /// Closes an idle connection that the caller holds. False if a request has arrived on it: it is served instead.
    @discardableResult
    func closeIdle(_ connection: Connection) -> Bool {
        guard !connection.hasSomethingToRead else {
            connection.idleSince = nil
            nudge(connection)
            return false
        }
        responder.connections.dismiss(connection)
        return true
    }

    private func makeRoom() -> Bool {
        for _ in 0..<Self.attemptsToMakeRoom {
            guard let (connection, since) = responder.connections.longestIdle() else { return false }
            guard connection.claim() else { continue }
            if connection.idleSince != since {
                // It has served a request since it was chosen.
                nudge(connection)
            } else if closeIdle(connection) {
                responder.report(.tooManyConnections)
                return true
            }
        }
        return false
    }
}
