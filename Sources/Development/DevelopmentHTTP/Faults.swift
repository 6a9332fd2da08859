package import JSON
import Synchronization

/// The faults that a program for development can inject into another server's answers.
package protocol FaultKind: CaseIterable, Equatable, RawRepresentable<String>, Sendable {
    /// The members of a fault's JSON, except `fault`, as a refusal explains them.
    static var members: [(name: String, values: String)] { get }
    static var maximumSeconds: Int64 { get }

    static var delay: Self { get }

    static func isPath(_ text: String) -> Bool
}

/// A fault to inject.
package struct Fault<Kind: FaultKind>: Sendable, Equatable {
    package let kind: Kind
    /// The only path that it applies to; nil for all.
    package var path: String?
    package var seconds: Int64 = 3
    /// Of the answer.
    package var status: Int64 = 500
    /// The value of `error` in the answer.
    package var error = "server_error"
    /// The number of requests; nil until the fault is removed.
    package var times: Int64?

    package init(_ kind: Kind, path: String? = nil, times: Int64? = nil) {
        (self.kind, self.path, self.times) = (kind, path, times)
    }

    /// Reads the body of a `POST` to the list of faults. Refuses unknown members, so that typing errors are found.
    package init(_ json: JSONObject) throws(HTTPRefusal) {
        guard let kind = json["fault"]?.string.flatMap(Kind.init(rawValue:)) else { throw Self.refusal("fault") }
        self.init(kind)
        for (name, value) in json.members where name != "fault" {
            guard Kind.members.contains(where: { $0.name == name }) else { throw Self.refusal(name) }
            switch (name, value, value.integer) {
            case ("path", .string(let text), _) where Kind.isPath(text): path = text
            case ("error", .string(let text), _): error = text
            case ("seconds", _, let number?) where (0...Kind.maximumSeconds).contains(number): seconds = number
            case ("status", _, let number?) where (200...599).contains(number): status = number
            case ("times", _, let number?) where number > 0: times = number
            default: throw Self.refusal(name)
            }
        }
    }

    private static func refusal(_ name: String) -> HTTPRefusal {
        .invalid(
            "\(name): missing, unknown or not valid. Required is fault "
                + "(\(Kind.allCases.map(\.rawValue).joined(separator: ", "))); optional are "
                + Kind.members.map { "\($0.name) (\($0.values))" }.joined(separator: ", "))
    }
}

/// The faults that are switched on. The latest one applies first.
package final class Faults<Kind: FaultKind>: Sendable {
    private let faults = Mutex<[Fault<Kind>]>([])

    package init() {}

    package func add(_ fault: Fault<Kind>) { faults.withLock { $0.append(fault) } }

    package func clear() { faults.withLock { $0 = [] } }

    /// The fault for a request, which uses up one of the fault's `times`.
    package func next(for path: String) -> Fault<Kind>? {
        faults.withLock { faults in
            guard let index = faults.lastIndex(where: { $0.path == nil || $0.path == path }) else { return nil }
            let fault = faults[index]
            if let times = fault.times { faults[index].times = times - 1 }
            faults.removeAll { $0.times == 0 }
            return fault
        }
    }

    /// The faults that still apply.
    package var json: JSONObject {
        ["faults": .array(faults.withLock { $0 }.map { .object($0.json) })]
    }
}

extension Fault {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["fault": .string(kind.rawValue)]
        json["path"] = path.map(JSONValue.string)
        if kind == .delay { json["seconds"] = .integer(seconds) }
        json["times"] = times.map(JSONValue.integer)
        return json
    }
}
