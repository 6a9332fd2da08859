import Gatehouse
import JSON

/// Reads the members of an object of a line, and collects the faults. `null` counts as absent.
struct MemberReader {
    private let object: JSONObject
    private let place: String
    private(set) var faults: [LineFault] = []
    private var known: Set<String> = []

    init(_ object: JSONObject, place: String = "") {
        self.object = object
        self.place = place
    }

    /// Whether the object has members that were not asked for.
    var hasUnknownMembers: Bool { object.members.contains { !known.contains($0.name) } }

    mutating func has(_ name: String) -> Bool {
        known.insert(name)
        return object[name] != nil
    }

    mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    mutating func text(_ name: String) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else {
            reject(name, "must be a string")
            return nil
        }
        return text
    }

    /// Some systems number their users.
    mutating func textOrNumber(_ name: String) -> String? {
        if let number = value(name)?.integer { return String(number) }
        return text(name)
    }

    mutating func flag(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else {
            reject(name, "must be true or false")
            return nil
        }
        return flag
    }

    mutating func objects(_ name: String) -> [JSONObject] {
        guard let value = value(name) else { return [] }
        guard let values = value.array else {
            reject(name, "must be an array")
            return []
        }
        return values.enumerated().compactMap { index, value in
            if value.object == nil { reject("\(name)[\(index)]", "must be an object") }
            return value.object
        }
    }

    mutating func reject(_ name: String, _ explanation: String) {
        faults.append(LineFault(place + name, explanation))
    }
}
