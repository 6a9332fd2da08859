/// What a front tells along with a request, left as it came until somebody asks: most requests are answered without most
/// of it.
package protocol Envelope: Sendable {
    /// The bytes of a field; nil where it was not sent.
    subscript(field: EnvelopeField) -> ArraySlice<UInt8>? { get }
}

package enum EnvelopeField: Sendable {
    case contentType
    case authorization
    case ifNoneMatch
    /// The least role that the front's configuration demands of whoever comes in. No client has a say in it.
    case demandedRole
    case userAgent
    /// Where the client is.
    case address
}
