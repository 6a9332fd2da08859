/// Lets pages of other origins call the API (CORS, as the Fetch standard has it). Each origin is named, never all of them: the
/// answers belong to the user whom the browser has signed in.
struct CrossOrigin {
    private static let methods: FieldValue = "GET, HEAD, POST, PATCH, DELETE"
    /// What scripts may send beyond what every form can.
    private static let requestHeaders: FieldValue = "Authorization, Content-Type, DPoP, If-None-Match"
    /// What scripts may read beyond what the standard always lets them read.
    private static let answerHeaders: FieldValue =
        "X-Request-Id, Retry-After, WWW-Authenticate, DPoP-Nonce, X-Apple-Revocation, ETag, Link"
    /// How long a browser may remember the answer to a preflight. Two hours are the most that browsers accept.
    private static let memory = FieldValue(600)

    private let origins: [String]

    /// - Parameter origins: empty for none.
    init(_ origins: [String]) {
        self.origins = origins
    }

    /// The answer to the question of a browser whether a page may send a request; nil for any other request.
    func preflightAnswer(to request: Request) -> Response? {
        guard !origins.isEmpty, request.method == "OPTIONS", request.bytes(of: .preflightMethod) != nil,
            origin(of: request) != nil
        else { return nil }
        let headers = [
            Response.Header("Access-Control-Allow-Methods", Self.methods),
            Response.Header("Access-Control-Allow-Headers", Self.requestHeaders),
            Response.Header("Access-Control-Max-Age", Self.memory),
        ]
        return Response(status: 204, headers: headers)
    }

    /// Lets the page that has sent a request read its answer.
    func permit(_ request: Request, toRead response: inout Response) {
        guard !origins.isEmpty else { return }
        // Also for other origins: a cache must not give them the answer for this one.
        response.headers.append(Response.Header("Vary", "Origin"))
        guard let origin = origin(of: request),
            let allowed = Response.Header("Access-Control-Allow-Origin", checking: origin)
        else { return }
        response.headers += [
            allowed, Response.Header("Access-Control-Allow-Credentials", "true"),
            Response.Header("Access-Control-Expose-Headers", Self.answerHeaders),
        ]
    }

    /// Nil for a page that may not call the API, and for a client that is no browser.
    private func origin(of request: Request) -> String? {
        request.text(of: .origin).flatMap { origins.contains($0) ? $0 : nil }
    }
}
