import DevelopmentHTTP
package import JSON
import Synchronization

/// The requests to Apple's endpoints, the oldest first.
final class RequestLog: Sendable {
    /// Bounds the memory of a fake that runs for weeks.
    private static let capacity = 10_000

    private let records = Mutex<[RequestRecord]>([])
    private let observe: @Sendable (RequestRecord) -> Void

    init(report observe: @escaping @Sendable (RequestRecord) -> Void) {
        self.observe = observe
    }

    var all: [RequestRecord] { records.withLock { $0 } }

    func add(_ record: RequestRecord) {
        observe(record)
        records.withLock { records in
            records.append(record)
            if records.count > Self.capacity { records.removeFirst(records.count - Self.capacity) }
        }
    }

    func clear() { records.withLock { $0 = [] } }

    /// Reports a request that controls the fake, and does not list it.
    func report(control request: HTTPRequest, status: Int?) {
        var record = RequestRecord(request)
        record.status = status
        observe(record)
    }
}

/// A request, without the content of its body.
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

    init(_ request: HTTPRequest) {
        method = request.method
        path = request.path
    }

    /// A request to one of Apple's endpoints. A value is recorded only if it is one that the developer's server may send.
    init(_ request: HTTPRequest, from developer: DeveloperAccount) {
        self.init(request)
        guard path != AuthorizePage.path else {
            fields = Form.known(request.query?.names ?? [])
            clientID = request.query?["client_id"].flatMap { developer.owns($0) ? $0 : nil }
            return
        }
        guard method == "POST", let form = try? Form(request) else { return }
        fields = form.knownNames
        clientID = form["client_id"].flatMap { developer.owns($0) ? $0 : nil }
        grantType = form["grant_type"].flatMap { TokenEndpoint.GrantType(rawValue: $0)?.rawValue }
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
        return json
    }
}
