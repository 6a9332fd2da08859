import Curl
import Gatehouse

extension DeliveryFault {
    /// What the status of the gateway's answer means; nil if it has accepted the message.
    init?(status: Int) {
        switch status {
        case 200...299: return nil
        case 429: self = .limited("the gateway answers status 429")
        case 401, 403: self = .misconfigured("the gateway answers status \(status): it does not accept the signature")
        case 400...499: self = .refused("the gateway answers status \(status)")
        case 300...399:
            self = .unavailable("the gateway answers status \(status): a redirect is not followed, correct the URL")
        default: self = .unavailable("the gateway answers status \(status)")
        }
    }

    init(_ fault: HTTPFault) {
        self = fault.stage == .timeout ? .timeout : .unavailable("\(fault)")
    }
}
