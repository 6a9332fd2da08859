import JSON

/// Validates values against the schemas of an OpenAPI document. It knows the keywords of JSON Schema that Gatehouse's
/// document uses, and reports any other keyword as a fault.
struct SchemaValidator: Sendable {
    let document: APIDocument

    /// Keywords that do not restrict values.
    private static let annotations: Set<String> = [
        "description", "example", "title", "properties", "items", "x-extensible-enum",
    ]

    /// The faults of the value, each with its place.
    func faults(of value: JSONValue, by schema: JSONValue, at place: String = "body") -> [String] {
        guard let schema = schema.object else { return ["\(place): the schema is not an object"] }
        return schema.members.flatMap { keyword, argument in
            faults(of: value, keyword: keyword, argument, at: place)
        } + faultsInside(value, schema, at: place)
    }

    private func faults(of value: JSONValue, keyword: String, _ argument: JSONValue, at place: String) -> [String] {
        switch keyword {
        case "$ref": faults(of: value, reference: argument.string ?? "", at: place)
        case "type": Self.types(argument).contains { Self.isOf($0, value) } ? [] : ["\(place): is not \(argument)"]
        case "enum": argument.array?.contains(value) == true ? [] : ["\(place): \(value) is not one of \(argument)"]
        case "required": missing(argument, in: value).map { "\(place): \($0) is missing" }
        case "minimum": check(value.number.map { $0 >= argument.number ?? 0 }, place, "is less than \(argument)")
        case "maximum": check(value.number.map { $0 <= argument.number ?? 0 }, place, "is more than \(argument)")
        case "minLength": check(value.string.map { length($0) >= argument.integer ?? 0 }, place, "is too short")
        case "maxLength": check(value.string.map { length($0) <= argument.integer ?? 0 }, place, "is too long")
        case "pattern": check(value.string.map { matches($0, argument) }, place, "does not match \(argument)")
        case "format": check(value.string.map { isOf(format: argument, $0) }, place, "is no \(argument)")
        case _ where Self.annotations.contains(keyword): []
        default: ["\(place): the keyword \(keyword) is not supported"]
        }
    }

    /// A keyword for texts or numbers does not restrict other values; then `isKept` is nil.
    private func check(_ isKept: Bool?, _ place: String, _ fault: String) -> [String] {
        isKept == false ? ["\(place): \(fault)"] : []
    }

    private func faults(of value: JSONValue, reference: String, at place: String) -> [String] {
        guard let schema = document.component(reference) else { return ["\(place): \(reference) does not exist"] }
        return faults(of: value, by: schema, at: place)
    }

    private func faultsInside(_ value: JSONValue, _ schema: JSONObject, at place: String) -> [String] {
        let properties = schema["properties"]?.object ?? [:]
        let inMembers = (value.object?.members ?? []).flatMap { name, member in
            properties[name].map { faults(of: member, by: $0, at: "\(place).\(name)") } ?? []
        }
        guard let items = schema["items"] else { return inMembers }
        let elements = (value.array ?? []).enumerated()
        return inMembers + elements.flatMap { faults(of: $1, by: items, at: "\(place)[\($0)]") }
    }

    private func missing(_ names: JSONValue, in value: JSONValue) -> [String] {
        guard let object = value.object else { return [] }
        return (names.array ?? []).compactMap(\.string).filter { object[$0] == nil }
    }

    private static func types(_ argument: JSONValue) -> [String] {
        argument.string.map { [$0] } ?? (argument.array ?? []).compactMap(\.string)
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "null": value.isNull
        case "boolean": value.bool != nil
        case "integer": value.integer != nil
        case "number": value.number != nil
        case "string": value.string != nil
        case "array": value.array != nil
        case "object": value.object != nil
        default: false
        }
    }

    /// JSON Schema counts code points.
    private func length(_ text: String) -> Int64 { Int64(text.unicodeScalars.count) }

    private func matches(_ text: String, _ pattern: JSONValue) -> Bool {
        guard let regex = try? Regex(pattern.string ?? "") else { return false }
        return text.firstMatch(of: regex) != nil
    }

    /// Every time has fractions of a second, because some parsers accept only one of the two forms.
    private func isOf(format: JSONValue, _ text: String) -> Bool {
        switch format.string {
        case "date-time": text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
        case "uri", "uri-reference": text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        default: false
        }
    }
}
