/// Why a text was rejected. Offsets are in bytes from the start of the text.
public enum JSONError: Error, Equatable, Sendable {
    /// Not valid according to the grammar of RFC 8259.
    case syntax(offset: Int)
    /// Not UTF-8, or an escape for half of a surrogate pair.
    case encoding(offset: Int)
    /// Objects and arrays nested deeper than ``JSONValue/maximumDepth``.
    case depth(offset: Int)
    /// A number too large for a `Double`.
    case range(offset: Int)
    /// A name that occurs twice in an object. Parsers disagree on which of the two members counts.
    case duplicateMember(String)
}

extension JSONError: CustomStringConvertible {
    /// Contains no part of the text, which may be secret.
    public var description: String {
        switch self {
        case .syntax(let offset): "not valid JSON at byte \(offset)"
        case .encoding(let offset): "not UTF-8 at byte \(offset)"
        case .depth(let offset): "nested too deeply at byte \(offset)"
        case .range(let offset): "number out of range at byte \(offset)"
        case .duplicateMember: "an object has two members with the same name"
        }
    }
}
