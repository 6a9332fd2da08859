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

    /// The user is read now, so that a late event has no old data.
    func send(_ event: QueuedEvent, to receiver: EventReceiver) throws(Refusal) -> EventOutcome {
        let user = try store.summaries(of: [event.event.userID]).first
        let body = EventBody(event.event, user: user, writing: write).bytes
        let headers = receiver.secrets.headers(id: event.id, timestamp: now().seconds, body: body)
        do throws(HTTPFault) {
            let response = try receiver.client(timeLimit: Self.timeLimit).post(
                receiver.url, json: body, headers: headers)
            return EventOutcome(response)
        } catch {
            return .unreachable("\(error)")
        }
    }
}

extension EventReceiver {
    /// Redirects are not followed, and of an answer only its status and header fields count.
    func client(timeLimit: Duration) -> HTTPClient {
        var client = HTTPClient(timeout: timeLimit, authorities: authorities)
        client.cutsLongBodies = true
        return client
    }
}

extension EventOutcome {
    init(_ response: HTTPResponse) {
        switch response.status {
        case 200...299: self = .accepted
        case 410: self = .gone
        case 429, 503:
            self = .busy(retryAfter: nil, fault: "the receiver answers status \(response.status)")
        // A proxy before the receiver has not heard from it.
        case 502, 504: self = .unreachable("the receiver answers status \(response.status)")
        case 300...399:
            self = .refused("the receiver answers status \(response.status): a redirect is not followed, correct the URL")
        default: self = .refused("the receiver answers status \(response.status)")
        }
    }
}
