import CodeDelivery
import Gatehouse
import POSIX
import Synchronization

/// A message and the values around it.
enum Sample {
    static let code = "042137"
    static let mailAddress = "user.name+tag@example.org"
    static let number = "+8613800138000"
    /// Wed, 25 Nov 2026 12:00:00 UTC
    static let now = Timestamp(seconds: 1_795_608_000)

    static func mail(
        _ content: OutgoingMessage.Content = .code(code, lifetime: .seconds(600)), to: String = mailAddress,
        acceptLanguage: String? = nil
    ) -> OutgoingMessage {
        OutgoingMessage(to: CodeAddress(.email, to), content: content, acceptLanguage: acceptLanguage)
    }

    static func sms(
        _ content: OutgoingMessage.Content = .code(code, lifetime: .seconds(600)), acceptLanguage: String? = nil
    ) -> OutgoingMessage {
        OutgoingMessage(to: CodeAddress(.phone, number), content: content, acceptLanguage: acceptLanguage)
    }
}

/// Keeps the reports of a sender.
final class Reports: Sendable {
    private let all = Mutex<[DeliveryReport]>([])

    var list: [DeliveryReport] { all.withLock { $0 } }

    var handler: DeliveryReport.Handler {
        { [self] report, _ in all.withLock { $0.append(report) } }
    }
}

/// The fault of a send; nil if there is none.
func deliveryFault(_ body: () throws(DeliveryFault) -> Void) -> DeliveryFault? {
    do throws(DeliveryFault) {
        try body()
        return nil
    } catch {
        return error
    }
}

extension DeliveryFault {
    /// What an operator reads about it.
    var text: String? {
        switch self {
        case .timeout, .crowded: nil
        case .unavailable(let text), .failed(let text), .limited(let text), .refused(let text),
            .misconfigured(let text):
            text
        }
    }
}
