/// Where the members of an object are asked for by name, each once, in the order in which they were written.
public protocol JSONClaims {
    /// Whether a member is this text, and no other spelling of the same characters.
    mutating func has(_ name: String, _ text: String) -> Bool

    /// Whether a member is a text, whatever it says: for who need not know, and then there is no copy of it.
    mutating func hasText(_ name: String) -> Bool

    /// The text of a member; nil where there is none, or something else.
    mutating func string(_ name: String) -> String?

    /// The whole number of a member; nil where there is none, or something else.
    mutating func integer(_ name: String) -> Int64?
}
