import DevelopmentHTTP
import JSON

/// Reads the members of a request that controls the stand-in. Refuses unknown and unsuitable ones, so that typing errors are
/// found.
struct OrderReader {
    private let json: JSONObject
    private var suitable: Set<String> = []

    init(_ json: JSONObject) {
        self.json = json
    }

    /// - Parameter read: nil for an unsuitable value.
    /// - Returns: nil for a member that is missing or unsuitable.
    mutating func take<Value>(_ name: String, _ read: (JSONValue) throws -> Value?) rethrows -> Value? {
        guard let member = json[name], let value = try read(member) else { return nil }
        suitable.insert(name)
        return value
    }

    mutating func text(_ name: String) -> String? { take(name, \.string) }

    mutating func flag(_ name: String) -> Bool? {
        take(name) { $0 == .bool(true) ? true : $0 == .bool(false) ? false : nil }
    }

    mutating func object(_ name: String) -> JSONObject? { take(name, \.object) }

    mutating func number(_ name: String, in range: ClosedRange<Int64> = .min ... .max) -> Int64? {
        take(name) { value in value.integer.flatMap { range.contains($0) ? $0 : nil } }
    }

    mutating func choice<Choice: RawRepresentable<String>>(_ name: String) -> Choice? {
        take(name) { $0.string.flatMap(Choice.init(rawValue:)) }
    }

    /// The value as it is. A `nil` in a closure for `take` would be JSON's `null`, and suitable.
    mutating func value(_ name: String, where isSuitable: (JSONValue) -> Bool) -> JSONValue? {
        take(name) { isSuitable($0) ? Optional($0) : Optional.none }
    }

    /// A text or a list of texts.
    mutating func texts(_ name: String) -> JSONValue? {
        value(name) { $0.string != nil || $0.array?.allSatisfy { $0.string != nil } == true }
    }

    /// Throws unless each member has been taken.
    ///
    /// - Parameter known: explains the members.
    func end(_ known: @autoclosure () -> String) throws(HTTPRefusal) {
        guard let name = json.names.first(where: { !suitable.contains($0) }) else { return }
        throw .invalid("\(name): \(known())")
    }
}

extension JSONObject {
    /// The object with other members; `null` removes one.
    func replacing(_ changes: JSONObject) -> JSONObject {
        var result = self
        for (name, value) in changes.members { result[name] = value.isNull ? .none : value }
        return result
    }
}
