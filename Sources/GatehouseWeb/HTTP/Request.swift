/// A request as the web layer sees it, whatever brought it here.
package struct Request: Sendable {
    package let method: String
    /// Without query, percent-decoded and free of dot segments, as the front has normalised it.
    package let path: ArraySlice<UInt8>
    /// What stands for `{id}` in the path of the endpoint; empty where there is none.
    package internal(set) var pathArgument = ""
    package let body: [UInt8]
    package let bodyIsTooLarge: Bool
    /// Names this request in answers and logs.
    package let id: String
    private let envelope: any Envelope

    package init(
        method: String, path: ArraySlice<UInt8>, envelope: any Envelope, body: [UInt8] = [],
        bodyIsTooLarge: Bool = false, id: String
    ) {
        self.method = method
        self.path = path
        self.envelope = envelope
        self.body = body
        self.bodyIsTooLarge = bodyIsTooLarge
        self.id = id
    }

    func bytes(of field: EnvelopeField) -> ArraySlice<UInt8>? { envelope[field] }

    func text(of field: EnvelopeField) -> String? {
        envelope[field].map { String(decoding: $0, as: UTF8.self) }
    }
}
