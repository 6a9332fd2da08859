import CodeDelivery
import Curl
import Gatehouse
import JSON

extension DeliveryReport {
    /// A receiver that refuses the operator's credentials is an error: no code arrives until the operator corrects them. Equal
    /// lines are limited, because every code would repeat them.
    func write(to log: Log, throttle: LogThrottle, requestID: String?) {
        guard let (level, text) = line, throttle.permits("\(channel.rawValue) \(text)") else { return }
        log(
            level, "delivery", [("channel", .string(channel.rawValue)), ("fault", .string(text))],
            requestID: requestID)
    }

    private var line: (LogLevel, String)? {
        switch fault {
        case nil: nil
        case .misconfigured(let text): (.error, "\(text): correct the settings of this installation")
        case .unavailable(let text), .failed(let text), .limited(let text), .refused(let text): (.warning, text)
        case .timeout:
            (.warning, "no answer, or none in time, and the message may have been sent; look at \(HTTPFault.silence)")
        case .crowded: (.warning, "too many messages wait: the receiver is slow or does not answer")
        }
    }
}
