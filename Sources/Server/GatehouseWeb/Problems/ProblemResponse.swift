import Gatehouse
import JSON

extension Response {
    /// For a server that has no database yet.
    package static func storageUnavailable(requestID: String) -> Response {
        let failure = StoreFailure("the database cannot be reached", cause: .unreachable)
        return Problem.refused(.storageUnavailable(failure)).response(requestID: requestID)
    }
}

extension Problem {
    /// The stable code for clients.
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
            requestId: requestID, reason: reason, credentialId: unknownCredential, errors: fieldErrors)
    }

    private var unknownCredential: String? {
        guard case .refused(.passkey(.unknown(let id))) = self else { return nil }
        return id
    }

    /// What narrows the code: the check of a credential or of a proof that failed, or the conflict of a link.
    package var reason: String? {
        switch self {
        case .refused(.invalidProof(let fault)): fault.rawValue
        case .refused(.identity(let fault, _)), .unacceptedIdentity(let fault, _),
            .invalidSecurityEvents(let fault, _):
            fault.reason.rawValue
        case .refused(.accountAlreadyLinked(let conflict)): conflict.rawValue
        case .refused(.passkey(let fault)), .unacceptedPasskey(let fault): fault.reason
        case .refused(.mergeConflict(let conflict)): conflict.name
        case .refused(.nothingLeftToMerge): "last_account"
        default: nil
        }
    }

    private var fieldErrors: [FieldError]? {
        switch self {
        case .invalidRequest(let errors): errors
        // A body that cannot be parsed has no members to name.
        case .invalidJSON: []
        default: entry.status == 400 ? [] : nil
        }
    }

    /// The headers that the status requires.
    ///
    /// - Parameters:
    ///   - hasCredentials: whether the request has any, for problems that are found before credentials are read.
    ///   - scope: the role that the request demands, if there is one.
    func headers(hasCredentials: Bool = true, scope: String? = nil) -> [Response.Header] {
        let header: Response.Header? =
            switch entry.status {
            case 401, 403:
                challenge(hasCredentials: hasCredentials, scope: scope)
                    .flatMap { Response.Header("WWW-Authenticate", checking: $0) }
            case 405: Response.Header("Allow", checking: allowed)
            case 429: wait.flatMap { Response.Header("Retry-After", checking: "\($0.wholeSeconds)") }
            case 503: Response.Header("Retry-After", "5")
            default: nil
            }
        return header.map { [$0] } ?? []
    }

    /// RFC 6750, section 3: a request without credentials gets the scheme and no error. Nil when no credentials would
    /// help. The RFC has `invalid_token` for 401 and `insufficient_scope` for 403.
    private func challenge(hasCredentials: Bool, scope: String?) -> String? {
        guard hasCredentials else { return "Bearer" }
        switch self {
        case .refused(.noCredentials), .refused(.noTokenToEnd), .refused(.noServiceToken): return "Bearer"
        case .refused(.devLoginDisabled), .refused(.staleNumber), .refused(.originNotAllowed),
            .refused(.pageOfAnotherSite):
            return nil
        case .refused(.invalidProof(let fault)):
            // RFC 9449, sections 7.1 and 9
            let error = fault == .nonce ? "use_dpop_nonce" : entry.code
            let algorithms = DPoPPolicy.algorithms.joined(separator: " ")
            return "DPoP error=\"\(error)\", error_description=\"\(fault.rawValue)\", algs=\"\(algorithms)\""
        case .refused(.loginTooOld(let limit)), .refused(.guardedLoginTooOld(let limit)):
            // RFC 9470
            return """
                Bearer error="insufficient_user_authentication", error_description="\(entry.code)", \
                max_age=\(limit.wholeSeconds)
                """
        case .refused(.insufficientAuthentication(let strength)):
            // RFC 9470
            return """
                Bearer error="insufficient_user_authentication", error_description="\(entry.code)", \
                acr_values="\(strength.rawValue)"
                """
        default: break
        }
        let error = entry.status == 403 ? "insufficient_scope" : "invalid_token"
        let challenge = "Bearer error=\"\(error)\", error_description=\"\(entry.code)\""
        guard case .refused(.insufficientRole) = self, let scope else { return challenge }
        return challenge + ", scope=\"\(scope)\""
    }

    private var wait: Duration? {
        switch self {
        case .refused(.tooManyCodes(let reached)), .refused(.tooManyGuests(let reached)): reached.wait
        default: nil
        }
    }

    private var allowed: String {
        guard case .methodNotAllowed(let methods) = self else { return "" }
        return methods.flatMap(\.names).joined(separator: ", ")
    }
}

/// An error document by RFC 9457, with a stable `code`.
struct ProblemBody: ResponseBody {
    let status: Int
    let title: String
    let detail: String
    let code: String
    let requestId: String
    /// Narrows `invalid_apple_token`, `invalid_identity`, `invalid_dpop_proof`, `invalid_passkey` and `account_already_linked`.
    let reason: String?
    /// Of a passkey that the client should remove.
    let credentialId: String?
    /// The invalid members, with every 400; nil with other statuses.
    let errors: [FieldError]?

    func write(to json: inout JSONObjectWriter) {
        // RFC 9457, section 4.2.1: there is no page about the problem, and `code` tells problems apart.
        json.member("type", "about:blank")
        json.member("title", title)
        json.member("status", status)
        json.member("detail", detail)
        json.member("code", code)
        json.member("requestId", requestId)
        if let reason { json.member("reason", reason) }
        if let credentialId { json.member("credentialId", credentialId) }
        guard let errors else { return }
        json.member("errors", objects: errors) { $0.write(to: &$1) }
    }
}

extension FieldError {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("field", field)
        json.member("message", message)
    }
}

/// The details of `invalid_json`: what is wrong with the body, then what to do. They repeat only plain names from the
/// body.
enum InvalidJSON {
    static let missingBody = "The request has no body. Send a JSON object, with Content-Type: application/json."

    static func explanation(_ error: JSONError, of body: [UInt8]) -> String {
        switch error {
        case .syntax(let offset) where offset >= body.count:
            "The body ends before the JSON is complete, at byte \(offset). Send the whole object."
        case .syntax(let offset): "The body is not valid JSON at byte \(offset). Send a JSON object."
        case .encoding(let offset): "The body is not UTF-8 at byte \(offset). Send the JSON in UTF-8."
        case .depth(let offset):
            "The body has more than \(JSONValue.maximumDepth) objects and arrays within each other at byte \(offset). Send fewer levels."
        case .range(let offset): "The body has a number that is too large at byte \(offset). Send a smaller one."
        case .duplicateMember(let name):
            "The body has \(PlainName(name).map { "the member \($0.text)" } ?? "a member") twice. Send each member once."
        }
    }

    /// For a body that is JSON but not an object.
    static func noObject(_ body: [UInt8]) -> String {
        let kind = (try? JSONValue(parsing: body))?.kind ?? "another value"
        return "The body is \(kind). Send a JSON object."
    }
}

extension JSONValue {
    /// The kind of value, with its article.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
