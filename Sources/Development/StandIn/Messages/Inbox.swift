import JSON
import POSIX

/// The last messages that Gatehouse has sent to the stand-ins, which a developer and tests read.
package final class Inbox: Sendable {
    private static let capacity = 100

    private struct State {
        var messages: [InboxMessage] = []
        var lastNumber: Int64 = 0
    }

    private let state = Monitor(State())

    func add(_ message: InboxMessage) {
        state.change { state in
            state.lastNumber += 1
            var message = message
            message.number = state.lastNumber
            state.messages.append(message)
            if state.messages.count > Self.capacity { state.messages.removeFirst() }
        }
    }

    /// The newest first.
    package var messages: [InboxMessage] { state.change { $0.messages.reversed() } }

    /// The number of the newest message, also after `clear`; 0 before the first one.
    package var lastNumber: Int64 { state.change { $0.lastNumber } }

    package func clear() { state.change { $0.messages = [] } }

    /// Waits for a message to an address. Nil if there is none after the time.
    ///
    /// - Parameter number: only later messages count. Read `lastNumber` before the request that sends the message.
    /// - Returns: the oldest such message.
    package func message(
        to address: String, after number: Int64 = 0, atMost time: Duration = .seconds(10)
    ) -> InboxMessage? {
        state.wait(atMost: time) { state in
            state.messages.first { $0.to == address && $0.number > number }
        }
    }
}

extension Inbox {
    /// Those that a query asks for, the newest first, and the number of the last message of all.
    func answer(_ query: InboxQuery) -> (json: JSONObject, isEmpty: Bool) {
        let (messages, lastNumber) = state.change { ($0.messages.reversed(), $0.lastNumber) }
        let selected = messages.filter { query.selects($0) }
        let json: JSONObject = [
            "order": "newest first", "messages": .array(selected.map { .object($0.json) }),
            "last": .integer(lastNumber),
        ]
        return (json, selected.isEmpty)
    }
}
