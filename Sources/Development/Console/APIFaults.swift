import JSON
import Synchronization

/// A fault to inject between a client and the API.
struct APIFault: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        /// Carries the request out, and closes the connection without an answer.
        case lost
        /// Waits, then carries the request out.
        case delay
        /// Answers 503, and does not carry the request out.
        case unavailable
    }

    private static let maximumSeconds: Int64 = 60

    let kind: Kind
    /// The only path that it applies to; nil for all.
    var path: String?
    var seconds: Int64 = 3
    /// The number of requests; nil until the fault is removed.
    var times: Int64?

    init(_ kind: Kind, path: String? = nil, times: Int64? = nil) {
        self.kind = kind
        self.path = path
        self.times = times
    }

    /// Reads the body of `POST /console/faults`. Refuses unknown members, so that typing errors are found.
    init(_ body: [UInt8]) throws(ConsoleError) {
        guard let json = (try? JSONValue(parsing: body))?.object else {
            throw .invalid("the body must be a JSON object")
        }
        guard let kind = json["fault"]?.string.flatMap(Kind.init(rawValue:)) else { throw Self.refusal("fault") }
        self.init(kind)
        for (name, value) in json.members {
            switch (name, value, value.integer) {
            case ("fault", _, _): break
            case ("path", .string(let text), _) where text.hasPrefix("/"): path = text
            case ("seconds", _, let number?) where (0...Self.maximumSeconds).contains(number): seconds = number
            case ("times", _, let number?) where number > 0: times = number
            default: throw Self.refusal(name)
            }
        }
    }

    private static func refusal(_ name: String) -> ConsoleError {
        .invalid(
            "\(name): fault is required (\(Kind.allCases.map(\.rawValue).joined(separator: ", "))); optional are path "
                + "(such as /api/auth/refresh), seconds (0 to \(maximumSeconds)), times (1 or more)")
    }

    var json: JSONObject {
        var json: JSONObject = ["fault": .string(kind.rawValue)]
        json["path"] = path.map(JSONValue.string)
        if kind == .delay { json["seconds"] = .integer(seconds) }
        json["times"] = times.map(JSONValue.integer)
        return json
    }
}

/// The faults that are switched on. The latest one applies first.
final class APIFaults: Sendable {
    private let faults = Mutex<[APIFault]>([])

    var all: [APIFault] { faults.withLock { $0 } }

    func add(_ fault: APIFault) { faults.withLock { $0.append(fault) } }

    func clear() { faults.withLock { $0 = [] } }

    /// The fault for a request, which uses up one of the fault's `times`.
    func next(for path: String) -> APIFault? {
        faults.withLock { faults in
            guard let index = faults.lastIndex(where: { $0.path == nil || $0.path == path }) else { return nil }
            let fault = faults[index]
            if let times = fault.times { faults[index].times = times - 1 }
            faults.removeAll { $0.times == 0 }
            return fault
        }
    }
}
