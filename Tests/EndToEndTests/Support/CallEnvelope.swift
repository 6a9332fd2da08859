import GatehouseWeb

/// What a front would tell along with a call.
struct CallEnvelope: Envelope {
    let call: Call

    subscript(field: EnvelopeField) -> ArraySlice<UInt8>? { text(of: field).map { Array($0.utf8)[...] } }

    private func text(of field: EnvelopeField) -> String? {
        switch field {
        case .contentType: call.header("Content-Type")
        case .authorization: call.header("Authorization")
        case .ifNoneMatch: call.header("If-None-Match")
        case .demandedRole: call.demandedRole
        case .userAgent: call.header("User-Agent") ?? "Tests"
        case .address: "127.0.0.1"
        }
    }
}
