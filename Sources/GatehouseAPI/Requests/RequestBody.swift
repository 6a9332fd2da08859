/// A request body: reads itself on the server and notes every fault with the reader.
public protocol RequestBody: Sendable {
    init(reading fields: inout FieldReader)
}
