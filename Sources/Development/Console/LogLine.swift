import JSON

/// A line of a log. A line that is no JSON object, such as a message of the Swift runtime, is kept as text.
struct LogLine: Sendable, Equatable {
    enum Source: String, Sendable {
        case gatehouse, nginx, apple, console
    }

    let source: Source
    let text: String
    /// The members of a line of JSON.
    let members: JSONObject?

    init(_ source: Source, _ bytes: [UInt8]) {
        self.source = source
        text = String(decoding: bytes, as: UTF8.self)
        members = (try? JSONValue(parsing: bytes))?.object
    }

    /// Gatehouse's log calls it `id`.
    var requestID: String? { members?[source == .gatehouse ? "id" : "requestId"]?.string }

    var time: String? { members?["time"]?.string }

    var json: JSONObject {
        var json: JSONObject = ["source": .string(source.rawValue)]
        json["time"] = time.map(JSONValue.string)
        json["requestId"] = requestID.map(JSONValue.string)
        if let members { json["members"] = .object(members) } else { json["text"] = .string(text) }
        return json
    }
}
