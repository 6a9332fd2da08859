import DevelopmentHTTP
package import JSON
import Synchronization

/// The requests to the endpoints of all parties, the oldest first.
final class RequestLog: Sendable {
    /// Bounds the memory of a stand-in that runs for weeks.
    private static let capacity = 10_000

    private let records = Mutex<[RequestRecord]>([])
    private let report: @Sendable (JSONObject) -> Void

    init(report: @escaping @Sendable (JSONObject) -> Void) {
        self.report = report
    }

    func add(_ record: RequestRecord) {
        report(record.json)
        records.withLock { records in
            records.append(record)
            if records.count > Self.capacity { records.removeFirst(records.count - Self.capacity) }
        }
    }

    /// Reports a request that controls a party, and does not list it.
    func report(control request: HTTPRequest, status: Int?) {
        var record = RequestRecord(request)
        record.status = status
        report(record.json)
    }

    func records(below prefix: String) -> [RequestRecord] {
        records.withLock { $0.filter { $0.path.hasPrefix(prefix) } }
    }

    func count(of path: String) -> Int64 { Int64(records.withLock { $0.count { $0.path == path } }) }

    func list(below prefix: String) -> JSONObject {
        ["requests": .array(records(below: prefix).map { .object($0.json) })]
    }

    func clear(below prefix: String) { records.withLock { $0.removeAll { $0.path.hasPrefix(prefix) } } }
}

/// A request, without the values of its parameters and without its body.
package struct RequestRecord: Sendable {
    package let method: String
    package let path: String
    package var fields: [String] = []
    package var clientID: String?
    package var grantType: String?
    package var fault: String?
    package var status: Int?
    package var error: String?
    /// The cause of the error, which Apple does not tell.
    package var reason: String?
    /// The error code in an answer whose status is 200.
    var errorCode: Int64?

    init(_ request: HTTPRequest) {
        self.init(method: request.method, path: request.path)
    }

    init(method: String, path: String) {
        (self.method, self.path) = (method, path)
    }

    package var json: JSONObject {
        let texts = [
            ("client_id", clientID), ("grant_type", grantType), ("fault", fault), ("error", error), ("reason", reason),
        ]
        var json: JSONObject = [
            "method": .string(method), "path": .string(path), "fields": .array(fields.map(JSONValue.string)),
        ]
        json["status"] = status.map { .integer(Int64($0)) }
        for (name, text) in texts { json[name] = text.map(JSONValue.string) }
        json["errcode"] = errorCode.map(JSONValue.integer)
        return json
    }
}

extension FormFields {
    /// The names that the specifications, Apple, WeChat and QQ document. Only these may be logged: any other name may be content.
    /// With curl, a body of any other type is sent as a form, whose names then are its content.
    private static let known: Set<String> = [
        "access_token", "appid", "client_id", "client_secret", "code", "code_challenge", "code_challenge_method",
        "code_verifier", "display", "fmt", "grant_type", "lang", "login_hint", "need_openid", "nonce",
        "oauth_consumer_key", "openid", "prompt", "redirect_uri", "refresh_token", "response_mode", "response_type",
        "scope", "secret", "state", "sub", "target", "token", "token_type_hint", "transfer_sub", "unionid",
    ]

    static func isKnown(_ name: String) -> Bool { known.contains(name) }

    var knownNames: [String] { names.filter(Self.isKnown) }
}
