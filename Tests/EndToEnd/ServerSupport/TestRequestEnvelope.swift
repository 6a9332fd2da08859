import GatehouseWeb

/// The fields that a web server passes along with a request.
struct TestRequestEnvelope: Envelope {
    let request: TestRequest

    subscript(field: EnvelopeField) -> ArraySlice<UInt8>? { text(of: field).map { Array($0.utf8)[...] } }

    private func text(of field: EnvelopeField) -> String? {
        switch field {
        case .contentType: request.header("Content-Type")
        case .authorization: request.header("Authorization")
        case .proof: request.header("DPoP")
        case .proofTarget: request.proofTarget
        case .ifNoneMatch: request.header("If-None-Match")
        case .ifMatch: request.header("If-Match")
        case .demandedRole: request.demandedRole
        case .demandedLogin: request.demandedLogin
        case .admittedGuests: request.admittedGuests
        case .attributeNames: request.attributeNames
        case .userAgent: request.header("User-Agent") ?? "Tests"
        case .acceptLanguage: request.header("Accept-Language")
        case .query: request.query
        case .cookie: request.header("Cookie")
        case .origin: request.header("Origin")
        case .fetchSite: request.header("Sec-Fetch-Site")
        case .preflightMethod: request.header("Access-Control-Request-Method")
        case .address: request.header("Test-Address") ?? "127.0.0.1"
        case .trace: request.header("traceparent")
        }
    }
}
