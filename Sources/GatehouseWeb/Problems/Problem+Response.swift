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
        return Response(status: entry.status, headers: [type] + headers(for: entry), body: body.json)
    }

    func body(requestID: String) -> ProblemBody {
        let entry = entry
        return ProblemBody(
            status: entry.status, title: ReasonPhrase.of(entry.status), detail: entry.detail, code: entry.code,
            requestId: requestID, reason: reason, errors: fieldErrors)
    }

    /// Which check of Apple's token failed, where it was one of those.
    package var reason: String? {
        guard case .refused(.appleToken(let fault)) = self else { return nil }
        return fault.rawValue
    }

    private var fieldErrors: [FieldError]? {
        switch self {
        case .invalidRequest(let errors): errors
        // What cannot be read has no members that could be named.
        case .invalidJSON: []
        default: nil
        }
    }

    private func headers(for entry: Entry) -> [Response.Header] {
        switch entry.status {
        case 401, 403: challenge(for: entry).map { [Response.Header("WWW-Authenticate", $0)] } ?? []
        case 405: [Response.Header("Allow", allowed)]
        case 503: [Response.Header("Retry-After", "5")]
        default: []
        }
    }

    /// RFC 6750: who sent no credentials is told the scheme and no error; nil where no credentials would help.
    private func challenge(for entry: Entry) -> String? {
        let error: String
        switch self {
        case .refused(.noCredentials): return "Bearer"
        case .refused(.devLoginDisabled): return nil
        case .refused(.insufficientRole): error = "insufficient_scope"
        case .refused(.loginTooOld(let limit)):
            // RFC 9470
            return """
                Bearer error="insufficient_user_authentication", error_description="\(entry.code)", \
                max_age=\(limit.wholeSeconds)
                """
        default: error = "invalid_token"
        }
        return "Bearer error=\"\(error)\", error_description=\"\(entry.code)\""
    }

    private var allowed: String {
        guard case .methodNotAllowed(let methods) = self else { return "" }
        return methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
    }
}
