import DevelopmentHTTP
import JSON

/// How a party answers.
enum AnswerMode: String, CaseIterable, Sendable {
    case normal
    /// An error status.
    case status
    /// Performs the request, and delays the answer.
    case slow
    /// Does not answer until the mode changes.
    case hang
    /// Closes the connection without an answer.
    case close
    /// 200 with a page, as a captive portal or a proxy sends it.
    case html
    /// The usual answer, followed by a mebibyte of white space.
    case huge
    /// A redirect to an address that answers as usual.
    case redirect

    // Of WeChat and QQ.
    /// The usual answer, declared as JSON.
    case json
    /// Errors have a trailing comma, as in the sample of QQ's documentation.
    case trailingComma

    // Of a discovery document.
    case wrongIssuer

    // Of a key set.
    /// The good keys after five keys that cannot be used.
    case unusable
    /// Each good key is between two others with its key id.
    case duplicateKid
    case noKid
    /// A set without keys.
    case empty

    /// The modes that apply to every endpoint.
    private static let common: [AnswerMode] = [.normal, .status, .slow, .hang, .close, .html, .huge, .redirect]

    static let ofWeChat = common + [.json]
    static let ofQQ = common + [.json, .trailingComma]
    static let ofSMS = common
    static let ofSignIn = common
    static let ofMail: [AnswerMode] = [.normal, .status, .slow, .hang, .close]
    static let ofDiscovery = common + [.wrongIssuer]
    static let ofKeys = common + [.unusable, .duplicateKid, .noKid, .empty]

    /// For the log; nil for the usual answer.
    var name: String? { self == .normal ? nil : rawValue }
}

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

    /// Reads the body of a request such as `POST /wechat/faults`.
    init(_ json: JSONObject, modes: [AnswerMode], hasErrorCodes: Bool = true) throws(HTTPRefusal) {
        var order = OrderReader(json)
        if let text = order.text("mode") { mode = try Self.mode(text, of: modes, member: "mode") }
        if hasErrorCodes { errorCode = order.number("errcode") }
        take(&order)
        try order.end(
            "known are mode (\(Self.list(modes))) and the numbers " + (hasErrorCodes ? "errcode, " : "")
                + "seconds, status")
    }

    mutating func take(_ order: inout OrderReader) {
        seconds = order.number("seconds", in: 0...Self.maximumSeconds) ?? seconds
        status = order.number("status", in: 200...599) ?? status
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
