import JSON

/// The content of an answer of QQ. Its form depends on the endpoint and on the parameter `fmt`.
enum QQBody {
    /// Form fields, unless JSON is asked for.
    case form(JSONObject)
    /// A call of a function with the object, unless JSON is asked for.
    case object(JSONObject)
    /// Always JSON.
    case api(JSONObject)

    func bytes(asJSON: Bool) -> [UInt8] {
        switch self {
        case .form(let json) where !asJSON:
            let fields = json.members.map { "\($0.name)=\($0.value.string ?? $0.value.description)" }
            return Array(fields.joined(separator: "&").utf8)
        case .object(let json) where !asJSON: return Self.call(json.bytes)
        case .form(let json), .object(let json), .api(let json): return json.bytes
        }
    }

    /// An error is JSON, or a call with it.
    ///
    /// - Parameter hasComma: whether a comma follows the last member.
    static func error(_ error: QQError, at path: String, asJSON: Bool, hasComma: Bool) -> [UInt8] {
        guard path != QQEndpoints.profilePath else { return error.apiJSON.bytes }
        let json = hasComma ? error.json.bytes.dropLast() + Array(",}".utf8) : error.json.bytes
        return asJSON ? Array(json) : call(Array(json))
    }

    private static func call(_ json: [UInt8]) -> [UInt8] {
        Array("callback( ".utf8) + json + Array(" );\n".utf8)
    }
}
