import Gatehouse
import GatehouseAPI

extension FieldError {
    var sentence: String { "\(field) \(message)" }
}

extension Problem {
    /// The stable word that the client gets.
    package var code: String { entry.code }

    func response(requestID: String) -> Response {
        let entry = entry
        let type = Response.Header("Content-Type", "application/problem+json")
        let body = body(requestID: requestID)
        return Response(status: entry.status, headers: [type] + headers(), body: body.json)
    }

    func body(requestID: String) -> ProblemBody {
        let entry = entry
        return ProblemBody(
            status: entry.status, title: ReasonPhrase.of(entry.status), detail: entry.detail, code: entry.code,
            requestId: requestID, reason: reason, errors: fieldErrors)
    }

    /// Which check of Apple's token failed, where it was one of those.
    package var reason: String? {
        switch self {
        case .refused(.appleToken(let fault)), .unacceptedToken(let fault): fault.rawValue
        default: nil
        }
    }

    private var fieldErrors: [FieldError]? {
        switch self {
        case .invalidRequest(let errors): errors
        // What cannot be read has no members that could be named.
        case .invalidJSON: []
        default: nil
        }
    }

    /// What the status makes due beside the document.
    ///
    /// - Parameters:
    ///   - hasCredentials: whether the request has shown any. Only for problems that may come before anybody looks.
    ///   - scope: what the access token would have to allow, where the request demands more than any token does.
    func headers(hasCredentials: Bool = true, scope: String? = nil) -> [Response.Header] {
        let header: Response.Header? =
            switch entry.status {
            case 401, 403:
                challenge(hasCredentials: hasCredentials, scope: scope)
                    .flatMap { Response.Header("WWW-Authenticate", checking: $0) }
            case 405: Response.Header("Allow", checking: allowed)
            case 503: Response.Header("Retry-After", "5")
            default: nil
            }
        return header.map { [$0] } ?? []
    }

    /// RFC 6750, section 3: a request without credentials gets the scheme and no error. nil where no credentials would
    /// help. `invalid_token` is for 401 alone, and `insufficient_scope` is the error that the RFC has for 403.
    private func challenge(hasCredentials: Bool, scope: String?) -> String? {
        guard hasCredentials else { return "Bearer" }
        switch self {
        case .refused(.noCredentials): return "Bearer"
        case .refused(.devLoginDisabled): return nil
        case .refused(.loginTooOld(let limit)):
            // RFC 9470
            return """
                Bearer error="insufficient_user_authentication", error_description="\(entry.code)", \
                max_age=\(limit.wholeSeconds)
                """
        default: break
        }
        let error = entry.status == 403 ? "insufficient_scope" : "invalid_token"
        let challenge = "Bearer error=\"\(error)\", error_description=\"\(entry.code)\""
        guard case .refused(.insufficientRole) = self, let scope else { return challenge }
        return challenge + ", scope=\"\(scope)\""
    }

    private var allowed: String {
        guard case .methodNotAllowed(let methods) = self else { return "" }
        return methods.flatMap(\.names).joined(separator: ", ")
    }
}
