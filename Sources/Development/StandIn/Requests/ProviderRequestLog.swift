import DevelopmentHTTP
import JSON
import Synchronization

/// The requests to the providers' endpoints, the oldest first.
final class ProviderRequestLog: Sendable {
    /// Bounds the memory of a stand-in that runs for weeks.
    private static let capacity = 10_000

    private let records = Mutex<[ProviderRequest]>([])
    private let report: @Sendable (JSONObject) -> Void

    init(report: @escaping @Sendable (JSONObject) -> Void) {
        self.report = report
    }

    func add(_ record: ProviderRequest) {
        report(record.json)
        records.withLock { records in
            records.append(record)
            if records.count > Self.capacity { records.removeFirst(records.count - Self.capacity) }
        }
    }

    /// Reports a request that controls a provider, and does not list it.
    func report(control request: HTTPRequest, status: Int?) {
        var record = ProviderRequest(request)
        record.status = status
        report(record.json)
    }

    func count(of path: String) -> Int64 {
        Int64(records.withLock { $0.count { $0.path == path } })
    }

    func list(below prefix: String) -> JSONObject {
        let listed = records.withLock { $0.filter { $0.path.hasPrefix(prefix) } }
        return ["requests": .array(listed.map { .object($0.json) })]
    }

    func clear(below prefix: String) {
        records.withLock { $0.removeAll { $0.path.hasPrefix(prefix) } }
    }
}

/// A request, without the values of its parameters and without its body.
struct ProviderRequest: Sendable {
    let method: String
    let path: String
    let fields: [String]
    var mode: AnswerMode?
    var status: Int?
    /// The error code in an answer whose status is 200.
    var errorCode: Int64?

    init(_ request: HTTPRequest, fields: [String] = []) {
        method = request.method
        path = request.path
        self.fields = fields
    }

    /// A command of another protocol.
    init(method: String, path: String) {
        self.method = method
        self.path = path
        fields = []
    }

    var json: JSONObject {
        var json: JSONObject = [
            "method": .string(method), "path": .string(path), "fields": .array(fields.map(JSONValue.string)),
        ]
        if let mode, mode != .normal { json["fault"] = .string(mode.rawValue) }
        json["status"] = status.map { .integer(Int64($0)) }
        json["errcode"] = errorCode.map(JSONValue.integer)
        return json
    }
}
