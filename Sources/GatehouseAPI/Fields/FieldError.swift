public import JSON

/// What is wrong with one member of a request body.
public struct FieldError: Error, Sendable, Equatable {
    /// The member's name; a member of an object within is written `fullName.givenName`.
    public let field: String
    public let message: String

    public init(field: String, message: String) {
        self.field = field
        self.message = message
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("field", field)
        json.member("message", message)
    }
}
