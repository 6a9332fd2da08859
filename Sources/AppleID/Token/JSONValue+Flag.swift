import JSON

extension JSONValue {
    /// Apple has sent its flags as booleans and as words.
    var flag: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: nil
        }
    }
}
