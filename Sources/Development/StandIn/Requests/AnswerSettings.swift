import DevelopmentHTTP
import JSON

/// The mode in which an endpoint answers, with its details.
struct AnswerSettings: Equatable, Sendable {
    static let maximumSeconds: Int64 = 3600
    static let usualSeconds: Int64 = 3
    static let usualStatus: Int64 = 500

    var mode = AnswerMode.normal
    /// The delay of `slow`.
    var seconds = Self.usualSeconds
    /// The status of `status`.
    var status = Self.usualStatus
    /// The error to answer every request with; nil for none.
    var errorCode: Int64?

    /// Reads the body of a request such as `POST /wechat/faults`. Refuses unknown members.
    init(_ json: JSONObject, modes: [AnswerMode], hasErrorCodes: Bool = true) throws(HTTPRefusal) {
        for (name, value) in json.members {
            switch (name, value, value.integer) {
            case ("mode", .string(let text), _): mode = try Self.mode(text, of: modes, member: "mode")
            case ("errcode", _, let number?) where hasErrorCodes: errorCode = number
            case ("seconds", _, let number?) where (0...Self.maximumSeconds).contains(number): seconds = number
            case ("status", _, let number?) where (200...599).contains(number): status = number
            default:
                throw .invalid(
                    "\(name): known are mode (\(Self.list(modes))) and the numbers "
                        + (hasErrorCodes ? "errcode, " : "") + "seconds, status")
            }
        }
    }

    init() {}

    static func mode(
        _ text: String, of modes: [AnswerMode], member: String
    ) throws(HTTPRefusal) -> AnswerMode {
        guard let mode = AnswerMode(rawValue: text), modes.contains(mode) else {
            throw .invalid("\(member): known are \(list(modes))")
        }
        return mode
    }

    static func list(_ modes: [AnswerMode]) -> String { modes.map(\.rawValue).joined(separator: ", ") }

    var json: JSONObject {
        var json: JSONObject = [
            "mode": .string(mode.rawValue), "seconds": .integer(seconds), "status": .integer(status),
        ]
        json["errcode"] = errorCode.map(JSONValue.integer)
        return json
    }
}

extension AnswerSettings {
    /// The answer in this mode. `status`, `close`, `html` and `redirect` do not perform the request.
    ///
    /// - Parameter perform: performs the request.
    func action(on request: HTTPRequest, perform: () -> HTTPReply) -> HTTPAction {
        switch mode {
        case .status: .reply(HTTPReply(status: "\(status) Ordered", json: ["error": "server_error"]))
        case .slow: .reply(perform(), afterSeconds: seconds)
        case .close: .silence(seconds: 0)
        case .html: .reply(Self.page)
        case .huge: .reply(perform().padded)
        case .redirect: .reply(Self.redirect(from: request))
        default: .reply(perform())
        }
    }

    private static var page: HTTPReply {
        var reply = HTTPReply.ok(Array("<!DOCTYPE html><title>It works!</title>".utf8))
        reply.contentType = "text/html"
        return reply
    }

    private static let mark = "redirected=1"

    private static func redirect(from request: HTTPRequest) -> HTTPReply {
        let separator = request.target.contains("?") ? "&" : "?"
        return HTTPReply(status: "302 Found", body: []).adding("Location", request.target + separator + mark)
    }

    /// Whether a client has followed a redirect.
    static func isRedirected(_ request: HTTPRequest) -> Bool { request.target.hasSuffix(mark) }
}

extension HTTPReply {
    fileprivate var padded: HTTPReply {
        var reply = HTTPReply(status: status, body: body + [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20))
        reply.contentType = contentType
        reply.fields = fields
        return reply
    }
}
