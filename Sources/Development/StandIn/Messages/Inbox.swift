import DevelopmentHTTP
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

/// A text message or a mail that a stand-in has accepted.
package struct InboxMessage: Sendable, Equatable {
    package enum Channel: String, Sendable {
        case phone, email
    }

    /// The position in the sequence of all messages, from 1. The inbox assigns it.
    package var number: Int64 = 0
    package let channel: Channel
    package let to: String
    /// Nil for a text message.
    package var subject: String?
    package let text: String
    /// Nil if there is none in the message.
    package var code: String?
    /// What a notice is about, such as `phone_changed`. Nil for a code, and for a mail.
    package var notice: String?
    package var language: String?
    /// In seconds since 1970.
    package let time: Int64

    package init(channel: Channel, to: String, text: String, time: Int64) {
        (self.channel, self.to, self.text, self.time) = (channel, to, text, time)
    }

    var json: JSONObject {
        var json: JSONObject = [
            "number": .integer(number), "channel": .string(channel.rawValue), "to": .string(to),
            "text": .string(text), "time": .integer(time),
        ]
        for (name, value) in [("subject", subject), ("code", code), ("notice", notice), ("language", language)] {
            json[name] = value.map(JSONValue.string)
        }
        return json
    }
}

/// The query of `GET /inbox`.
struct InboxQuery: Sendable {
    private static let longestWait: Int64 = 60

    private let address: String?
    private let number: Int64
    /// How many seconds to wait for the first message.
    let wait: Int64

    init(_ request: HTTPRequest) throws(HTTPRefusal) {
        let parameters = request.parameters
        // The + of a number stands for a space in a query, where a person seldom escapes it.
        address = parameters["to"].map { $0.hasPrefix(" ") ? "+" + $0.dropFirst() : $0 }
        number = try Self.number(parameters["after"], "after", upTo: .max)
        wait = try Self.number(parameters["wait"], "wait", upTo: Self.longestWait)
    }

    private static func number(_ text: String?, _ name: String, upTo limit: Int64) throws(HTTPRefusal) -> Int64 {
        guard let text else { return 0 }
        guard let number = Int64(text), (0...limit).contains(number) else {
            throw .invalid("\(name): a number from 0 to \(limit)")
        }
        return number
    }

    func selects(_ message: InboxMessage) -> Bool {
        message.number > number && (address == nil || message.to == address)
    }
}

/// `GET /inbox` and `DELETE /inbox`. Both control the stand-ins, so that no page of another origin reads a code.
struct InboxEndpoints: Party {
    let inbox: Inbox

    /// The answer of a request that waits. The others are answered at once, by `control`.
    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard request.method == "GET", path.isEmpty, request.isFromSameOrigin(.http),
            let query = try? InboxQuery(request), query.wait > 0
        else { return nil }
        let deadline = MonotonicTime.now + .seconds(query.wait)
        return .waiting(seconds: query.wait + 1) { [inbox] in
            let answer = inbox.answer(query)
            return answer.isEmpty && MonotonicTime.now < deadline ? nil : .reply(.ok(answer.json))
        }
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("GET", ""): return inbox.answer(try InboxQuery(request)).json
        case ("DELETE", ""):
            inbox.clear()
            return [:]
        default: throw HTTPRefusal("404 Not Found", "GET /inbox?to=ADDRESS&after=NUMBER&wait=SECONDS, DELETE /inbox")
        }
    }
}
