import Gatehouse

@testable import GatehouseWeb

/// The fields of a request, by their names here.
struct StubEnvelope: Envelope {
    var fields: [EnvelopeField: String] = [:]
    var hasSeveralProofs = false

    subscript(field: EnvelopeField) -> ArraySlice<UInt8>? { fields[field].map { Array($0.utf8)[...] } }
}

extension Request {
    static func stub(_ fields: [EnvelopeField: String] = [:], body: String = "", hasSeveralProofs: Bool = false) -> Self
    {
        Request(
            method: "POST", path: Array("/".utf8)[...],
            envelope: StubEnvelope(fields: fields, hasSeveralProofs: hasSeveralProofs), body: Array(body.utf8),
            id: "request")
    }
}
