import Gatehouse
import JSON

/// The details of `invalid_json`: what is wrong with the body, then what to do. They repeat only plain names from the
/// body.
enum InvalidJSON {
    static let missingBody = "The request has no body. Send a JSON object, with Content-Type: application/json."

    static func explanation(_ error: JSONError, of body: [UInt8]) -> String {
        switch error {
        case .syntax(let offset) where offset >= body.count:
            "The body ends before the JSON is complete, at byte \(offset). Send the whole object."
        case .syntax(let offset): "The body is not valid JSON at byte \(offset). Send a JSON object."
        case .encoding(let offset): "The body is not UTF-8 at byte \(offset). Send the JSON in UTF-8."
        case .depth(let offset):
            "The body has more than \(JSONValue.maximumDepth) objects and arrays within each other at byte \(offset). Send fewer levels."
        case .range(let offset): "The body has a number that is too large at byte \(offset). Send a smaller one."
        case .duplicateMember(let name):
            "The body has \(PlainName(name).map { "the member \($0.text)" } ?? "a member") twice. Send each member once."
        }
    }

    /// For a body that is JSON but not an object.
    static func noObject(_ body: [UInt8]) -> String {
        let kind = (try? JSONValue(parsing: body))?.kind ?? "another value"
        return "The body is \(kind). Send a JSON object."
    }
}

extension JSONValue {
    /// The kind of value, with its article.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
