import TestSupport

extension TestRequest {
    /// The request as a web server encodes it.
    var fastCGIBytes: [UInt8] {
        var parameters = [
            ("REQUEST_METHOD", method), ("REMOTE_ADDR", "127.0.0.1"), ("REQUEST_ID", id),
            ("HTTP_USER_AGENT", header("User-Agent") ?? "Tests"),
        ]
        if let type = header("Content-Type") { parameters.append(("CONTENT_TYPE", type)) }
        if let value = header("Authorization") { parameters.append(("HTTP_AUTHORIZATION", value)) }
        if let proof = header("DPoP") { parameters.append(("HTTP_DPOP", proof)) }
        if let target = proofTarget { parameters.append(("GATEHOUSE_DPOP_TARGET", target)) }
        if let tags = header("If-None-Match") { parameters.append(("HTTP_IF_NONE_MATCH", tags)) }
        for name in ["If-Match", "Cookie", "Origin", "Sec-Fetch-Site", "Access-Control-Request-Method"] {
            let parameter = "HTTP_" + name.uppercased().replacing("-", with: "_")
            if let value = header(name) { parameters.append((parameter, value)) }
        }
        if let query { parameters.append(("QUERY_STRING", query)) }
        if let role = demandedRole { parameters.append(("GATEHOUSE_ROLE", role)) }
        if let age = demandedLogin { parameters.append(("GATEHOUSE_MAX_AGE", age)) }
        if let guests = admittedGuests { parameters.append(("GATEHOUSE_GUESTS", guests)) }
        if let names = attributeNames { parameters.append(("GATEHOUSE_ATTRIBUTES", names)) }
        return FastCGIWire.request(documentPath, body: body, parameters: parameters)
    }
}

extension FastCGIPeer {
    func exchange(_ request: TestRequest) throws -> TestResponse {
        TestResponse(parsing: Array(try exchange(request.fastCGIBytes).text.utf8))
            .checked(against: request, through: .responder)
    }
}
