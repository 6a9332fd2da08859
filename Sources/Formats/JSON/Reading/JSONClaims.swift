/// Access to the members of an object by name. Each member is read once, in the order in which it was written.
public protocol JSONClaims {
    /// Whether a member is this text, compared byte by byte.
    mutating func has(_ name: String, _ text: String) -> Bool

    /// Whether a member is a string. Its text is not copied.
    mutating func hasText(_ name: String) -> Bool

    /// The text of a string member; nil if it is missing or of another type.
    mutating func string(_ name: String) -> String?

    /// The text of a member of an object that is a member; nil if one of them is missing or of another type.
    mutating func string(_ name: String, in object: String) -> String?

    /// The value of an integer member; nil if it is missing or of another type.
    mutating func integer(_ name: String) -> Int64?

    /// False for any other value, and for a missing one.
    mutating func isTrue(_ name: String) -> Bool
}
