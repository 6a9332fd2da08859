/// Why a text was refused. Offsets count bytes from the start of the text.
public enum JSONError: Error, Equatable, Sendable {
    /// Not the grammar of RFC 8259.
    case syntax(offset: Int)
    /// Not UTF-8, or an escape that names half of a surrogate pair.
    case encoding(offset: Int)
    /// Objects and arrays nested deeper than ``JSONValue/maximumDepth``.
    case depth(offset: Int)
    /// A number too large for a `Double`.
    case range(offset: Int)
    /// A member name that the same object already has. Parsers disagree on which of the two counts, so neither does.
    case duplicateMember(String)
}

extension JSONError: CustomStringConvertible {
    /// Says where, never what: the text may hold a secret.
    public var description: String {
        switch self {
        case .syntax(let offset): "not JSON at byte \(offset)"
        case .encoding(let offset): "not UTF-8 at byte \(offset)"
        case .depth(let offset): "nested too deeply at byte \(offset)"
        case .range(let offset): "number out of range at byte \(offset)"
        case .duplicateMember: "a member name is given twice"
        }
    }
}
