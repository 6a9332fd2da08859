import Curl
import Gatehouse

extension DeliveryFault {
    init(_ fault: SMTPFault) {
        switch fault {
        case .refused(let step, let reply): self = Self.of(reply, to: step, "\(fault)")
        case .noLogin: self = .misconfigured("\(fault)")
        case .invalidAddress: self = .refused("\(fault)")
        case .transport(let fault): self.init(fault)
        }
    }

    /// A reply of 500 and more is final. Until the recipient is named, it is about this installation and its settings. Some
    /// mail services announce the end of a day's quota with such a reply.
    private static func of(_ reply: SMTPReply, to step: SMTPStep, _ text: String) -> DeliveryFault {
        switch (step, reply.code) {
        // Greylisting comes before the message.
        case (.message, ...499) where !reply.mentionsLimit: return .failed(text)
        case (_, ...499): return reply.mentionsLimit ? .limited(text) : .unavailable(text)
        // 530 and 535 are "authentication required" and "credentials invalid" at each step (RFC 4954).
        case (_, 530), (_, 534), (_, 535), (_, 538): return .misconfigured(text)
        case _ where reply.mentionsLimit: return .limited(text)
        case (.recipient, _), (.data, _), (.message, _): return .refused(text)
        default: return .misconfigured(text)
        }
    }
}
