import JSON

@testable import ServerSupport

/// An example of an answer. It has the members of a real answer, with other values. A member named … replaces
/// members that the example leaves out.
struct DocumentedExample {
    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    func differences(from answer: JSONValue) -> [String] { Self.compare(value, answer, at: "") }

    private static func compare(_ example: JSONValue, _ answer: JSONValue, at path: String) -> [String] {
        if let example = example.object, let answer = answer.object { return compare(example, answer, at: path) }
        if let example = example.array, let answer = answer.array {
            guard example.count <= answer.count else { return ["\(path) has \(answer.count) elements"] }
            return zip(example, answer).enumerated().flatMap { compare($1.0, $1.1, at: "\(path)[\($0)]") }
        }
        return kind(example) == kind(answer) || example == .null || answer == .null
            ? [] : ["\(path) is of another type"]
    }

    private static func compare(_ example: JSONObject, _ answer: JSONObject, at path: String) -> [String] {
        let named = example.members.filter { $0.name != "…" }
        let isComplete = named.count == example.members.count
        let unnamed = isComplete ? answer.members.filter { example[$0.name] == nil } : []
        return unnamed.map { "\(path).\($0.name) is not in the example" }
            + named.flatMap { name, value in
                guard let other = answer[name] else { return ["\(path).\(name) is not in the answer"] }
                return compare(value, other, at: "\(path).\(name)")
            }
    }

    private static func kind(_ value: JSONValue) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .integer, .number: 2
        case .string: 3
        case .array: 4
        case .object: 5
        }
    }
}
