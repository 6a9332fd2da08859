package import Curl
package import Gatehouse
import StandardWebhooks

/// Sends one event to its receiver: a signed POST, as the Standard Webhooks specification says.
struct EventSender: Sendable {
    /// For the whole request.
    static let timeLimit = Duration.seconds(10)

    let store: any Store
    let now: @Sendable () -> Timestamp
    let write: UserWriter

    /// The user is read when the event is sent, so that a late event has no old data.
    func content(of event: QueuedEvent) throws(Refusal) -> [UInt8] {
        let user = try store.summaries(of: [event.event.userID]).first
        return EventBody(event.event, user: user, writing: write).bytes
    }

    func send(_ event: QueuedEvent, _ body: [UInt8], to receiver: EventReceiver) -> EventOutcome {
        receiver.send(body, id: event.id, now: now)
    }
}

extension EventReceiver {
    /// Sends an event about a user who does not exist, once. A receiver ignores its type.
    package func sendTest(_ platform: Platform) -> EventOutcome {
        let now = platform.now()
        let body = #"{"type":"gatehouse.test","timestamp":"\#(now)","data":{"userId":"\#(Self.nobody)","user":null}}"#
        let id = ULID.make("evt", at: now, random: platform.random(ULID.randomBytes))
        return send(Array(body.utf8), id: id, now: platform.now)
    }

    /// An id that no user has: a ULID of zeros.
    private static let nobody = "user_" + String(repeating: "0", count: 26)

    fileprivate func send(_ body: [UInt8], id: String, now: @Sendable () -> Timestamp) -> EventOutcome {
        let headers = secrets.headers(id: id, timestamp: now().seconds, body: body)
        do throws(HTTPFault) {
            let response = try client(timeout: EventSender.timeLimit).post(url, json: body, headers: headers)
            return EventOutcome(status: response.status, retryAfter: response.retryAfter, now: now())
        } catch {
            return .unreachable("\(error)")
        }
    }
}

extension EventOutcome {
    /// - Parameter now: for a Retry-After that is a date.
    init(status: Int, retryAfter: String? = nil, now: Timestamp) {
        let text = "the receiver answers status \(status)"
        switch status {
        case 200...299: self = .accepted
        case 410: self = .gone
        case 429, 503:
            let time = retryAfter.flatMap { Duration(retryAfter: $0, now: now) }
            self = .busy(retryAfter: time, fault: text)
        // A proxy before the receiver has not heard from it.
        case 502, 504: self = .unreachable(text)
        case 300...399: self = .refused(text + ": a redirect is not followed, correct the URL")
        case 401: self = .refused(text + ": compare its secret")
        default: self = .refused(text)
        }
    }
}

extension Duration {
    /// Reads Retry-After: seconds, or a date (RFC 9110, section 10.2.3). Nil for other texts.
    init?(retryAfter text: String, now: Timestamp) {
        if let seconds = Int64(text), seconds >= 0 {
            // A larger number is cut later.
            self = .seconds(min(seconds, 86_400 * 365))
        } else if let date = Timestamp(httpDate: text) {
            self = max(.zero, now.duration(to: date))
        } else {
            return nil
        }
    }
}

/// Why a receiver cannot be reached.
package enum ReceiverFault: Error, Sendable, Equatable {
    /// The name has a private address, and the settings of the receiver do not permit that.
    case privateAddress
    /// Plain HTTP would go to a public address.
    case publicAddress
    case name(String)
    case security(String)
    case unreachable(String)
    case timeout

    package init(_ fault: HTTPFault) {
        switch (fault, fault.stage) {
        case (.privateAddress, _): self = .privateAddress
        case (.publicAddress, _): self = .publicAddress
        case (_, .name): self = .name("\(fault)")
        case (_, .security): self = .security("\(fault)")
        case (_, .timeout): self = .timeout
        case (_, .connection), (_, .answer): self = .unreachable("\(fault)")
        }
    }
}

extension EventReceiver {
    /// Whether it can be reached at an address that is permitted, and has a valid certificate. It gets no request: each one
    /// would be an event.
    package func probe(timeLimit: Duration = .seconds(5)) throws(ReceiverFault) {
        do throws(HTTPFault) { try client(timeout: timeLimit).connect(url) } catch { throw ReceiverFault(error) }
    }
}
