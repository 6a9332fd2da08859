import Curl
import Gatehouse
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
        let headers = receiver.secrets.headers(id: event.id, timestamp: now().seconds, body: body)
        do throws(HTTPFault) {
            let client = receiver.client(timeout: Self.timeLimit)
            let response = try client.post(receiver.url, json: body, headers: headers)
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
