import JSON

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
        self.channel = channel
        self.to = to
        self.text = text
        self.time = time
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
