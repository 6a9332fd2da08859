import Curl
import Gatehouse

extension DeliveryFault {
    /// What the status of the gateway's answer means; nil if it has accepted the message.
    init?(status: Int) {
        switch status {
        case 200...299: return nil
        // A proxy has not heard from the gateway in time.
        case 502, 504: self = .timeout
        case 429: self = .limited("the gateway answers status 429")
        case 401: self = .misconfigured("the gateway answers status 401: it refuses the signature, or its time")
        case 403: self = .misconfigured("the gateway answers status 403: its own log says what it refuses")
        case 400...499: self = .refused("the gateway answers status \(status)")
        case 300...399:
            self = .failed("the gateway answers status \(status): a redirect is not followed, correct the URL")
        default: self = .failed("the gateway answers status \(status)")
        }
    }

    /// A connection that is lost before the answer leaves open what has arrived.
    init(_ fault: HTTPFault) {
        switch fault.stage {
        case .timeout, .answer: self = .timeout
        case .name, .connection, .security: self = .unavailable("\(fault)")
        }
    }
}
