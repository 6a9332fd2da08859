import DevelopmentHTTP
package import JSON
import Synchronization

/// A fault to inject into Apple's endpoints.
package struct FaultOrder: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Performs the request, and delays the answer.
        case delay
        /// Accepts the request, and does not answer.
        case hang
        case status
        /// 200 with a body that is not JSON.
        case garbage
        /// 200 with an empty body.
        case empty
        /// 200 with a body of 1 MiB.
        case huge
        /// A redirect to the same URL, which no client may follow.
        case redirect
        /// Closes the connection without an answer.
        case close
    }

    package static let paths = ["/auth/keys", "/auth/token", "/auth/revoke"]
    private static let maximumSeconds: Int64 = 3600

    /// Nil for all endpoints.
    package var path: String?
    package var kind: Kind
    package var seconds: Int64 = 3
    package var status: Int64 = 500
    /// The value of `error` in the answer.
    package var error = "server_error"
    /// The number of requests; nil until the fault is removed.
    package var times: Int64?

    package init(_ kind: Kind, path: String? = nil, times: Int64? = nil) {
        self.kind = kind
        self.path = path
        self.times = times
    }

    /// Reads the body of `POST /faults`. Refuses unknown members, so that typing errors are found.
    package init(_ json: JSONObject) throws(OrderError) {
        guard let kind = json["fault"]?.string.flatMap(Kind.init(rawValue:)) else { throw Self.fault("fault") }
        self.init(kind)
        for (name, value) in json.members {
            switch (name, value, value.integer) {
            case ("fault", _, _): break
            case ("path", .string(let text), _) where Self.paths.contains(text): path = text
            case ("error", .string(let text), _): error = text
            case ("seconds", _, let number?) where (0...Self.maximumSeconds).contains(number): seconds = number
            case ("status", _, let number?) where (200...599).contains(number): status = number
            case ("times", _, let number?) where number > 0: times = number
            default: throw Self.fault(name)
            }
        }
    }

    private static func fault(_ name: String) -> OrderError {
        OrderError(
            name: name,
            known: "fault is required (\(Kind.allCases.map(\.rawValue).joined(separator: ", "))); optional are path "
                + "(\(paths.joined(separator: ", "))), seconds (0 to \(maximumSeconds)), status (200 to 599), error, "
                + "times (1 or more)")
    }
}

extension FaultOrder {
    var json: JSONObject {
        var json: JSONObject = ["fault": .string(kind.rawValue)]
        json["path"] = path.map(JSONValue.string)
        json["times"] = times.map(JSONValue.integer)
        return json
    }

    /// The action in place of the answer; nil if the answer is only delayed.
    func action(for path: String) -> HTTPAction? {
        switch kind {
        case .delay: nil
        case .hang: .silence(seconds: 60)
        case .close: .silence(seconds: 0)
        case .status: .reply(HTTPReply(status: "\(status) Ordered", json: ["error": .string(error)]))
        case .garbage: .reply(.ok(Array("<html>It works!</html>".utf8)))
        case .empty: .reply(.ok([]))
        case .huge: .reply(.ok([UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)))
        case .redirect: .reply(HTTPReply(status: "302 Found", body: []).adding("Location", path))
        }
    }
}

/// The ordered faults. The latest order applies first.
final class Faults: Sendable {
    private let orders = Mutex<[FaultOrder]>([])

    var all: [FaultOrder] { orders.withLock { $0 } }

    func add(_ order: FaultOrder) { orders.withLock { $0.append(order) } }

    func clear() { orders.withLock { $0 = [] } }

    /// The fault for a request, which uses up one of the fault's `times`.
    func next(for path: String) -> FaultOrder? {
        orders.withLock { orders in
            guard let index = orders.lastIndex(where: { $0.path == nil || $0.path == path }) else { return nil }
            let order = orders[index]
            if let times = order.times { orders[index].times = times - 1 }
            orders.removeAll { $0.times == 0 }
            return order
        }
    }
}
