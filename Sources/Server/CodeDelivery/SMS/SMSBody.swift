import Gatehouse
import JSON

/// The JSON document that the gateway gets.
struct SMSBody {
    let bytes: [UInt8]

    init(_ message: OutgoingMessage, _ sms: (language: String, text: String), country: String?, now: Timestamp) {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("type", message.content.type)
            json.member("timestamp", now.description)
            json.member("data") { data in
                data.member("to", message.to.text)
                data.member("country", country)
                message.content.write(to: &data)
                data.member("language", sms.language)
                data.member("text", sms.text)
                if let lifetime = message.content.lifetime { data.member("expiresIn", lifetime.components.seconds) }
            }
        }
        bytes = json.finish()
    }
}

extension OutgoingMessage.Content {
    fileprivate var type: String {
        switch self {
        case .code: "sms.code"
        case .notice: "sms.notice"
        }
    }

    fileprivate var lifetime: Duration? {
        switch self {
        case .code(_, let lifetime): lifetime
        case .notice: nil
        }
    }

    /// Gateways whose texts are templates of their provider need the parts without the text.
    fileprivate func write(to data: inout JSONObjectWriter) {
        switch self {
        case .code(let code, _): data.member("code", code)
        case .notice(let notice): data.member("notice", notice.rawValue)
        }
    }
}
