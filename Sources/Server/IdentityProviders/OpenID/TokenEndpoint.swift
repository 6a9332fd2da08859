import Curl
import Gatehouse
import JOSE
import JSON
import Text

/// The endpoint at which an OpenID provider exchanges codes (RFC 6749, section 4.1.3).
struct TokenEndpoint {
    let url: String
    let client: WebClient
    let authentication: ClientAuthentication

    init(of client: WebClient, _ endpoints: OpenIDEndpoints) {
        url = endpoints.tokenURL
        self.client = client
        authentication = endpoints.authentication
    }

    /// In faults, instead of the address.
    private static let name = "the token endpoint"

    /// Never repeated: after a timeout the code may be used, and only the browser can get another one.
    func exchange(_ code: String, for request: ProviderRequest, _ series: CallSeries) throws(CallFault) -> TokenGrant {
        let answer = try send(code, for: request, series)
        guard answer.status == 200 else { throw TokenError(answer).fault(at: Self.name) }
        guard let grant = TokenGrant(answer.body) else { throw .unreadable(Self.name) }
        return grant
    }

    /// Whether the provider accepts the id and the secret, of which it tells before it looks at the code.
    func check(_ code: String, for request: ProviderRequest, _ series: CallSeries) throws(CallFault) -> ProviderCheck {
        let answer = try send(code, for: request, series)
        guard answer.status != 200 else { return .unclear(code: "0") }
        return TokenError(answer).check(at: Self.name)
    }

    private func send(
        _ code: String, for request: ProviderRequest, _ series: CallSeries
    ) throws(CallFault) -> HTTPResponse {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.callback),
            ("code_verifier", request.codeVerifier),
        ]
        var headers = [("Accept", "application/json")]
        switch authentication {
        case .basic: headers.append(("Authorization", Self.basic(id: client.id, secret: client.secret)))
        case .post: form += [("client_id", client.id), ("client_secret", client.secret)]
        }
        return try series.post(url, named: Self.name, form, headers)
    }

    /// RFC 6749, section 2.3.1: id and secret are encoded as in a form before they are joined.
    static func basic(id: String, secret: String) -> String {
        let text = PercentEncoding.encode(id) + ":" + PercentEncoding.encode(secret)
        return "Basic " + Base64.encode(Array(text.utf8))
    }
}

/// What an OpenID provider gives for a code. The access token is only compared with the identity token, and then dropped.
struct TokenGrant {
    let identityToken: String
    let accessToken: String?

    /// Nil without an identity token.
    init?(_ body: [UInt8]) {
        guard let answer = (try? JSONValue(parsing: body))?.object, let token = answer["id_token"]?.string,
            !token.isEmpty
        else { return nil }
        identityToken = token
        accessToken = answer["access_token"]?.string
    }
}

/// The answer of a token endpoint that refuses (RFC 6749, section 5.2).
struct TokenError {
    private let status: Int
    /// A known error code. Faults contain no other text of an answer, because they are written to the log.
    private let code: String?

    private static let configurationErrors = [
        "invalid_client", "unauthorized_client", "redirect_uri_mismatch", "unsupported_grant_type",
    ]
    private static let otherErrors = ["invalid_request", "invalid_scope", "server_error", "temporarily_unavailable"]

    init(_ answer: HTTPResponse) {
        status = answer.status
        let error =
            (400..<500).contains(status) ? (try? JSONValue(parsing: answer.body))?.object?["error"]?.string : nil
        code = (Self.configurationErrors + Self.otherErrors + ["invalid_grant"]).first {
            error?.isIdentical(to: $0) == true
        }
    }

    func fault(at name: String) -> CallFault {
        switch code {
        case "invalid_grant": .credential(.code)
        case let code? where Self.configurationErrors.contains(code): .misconfigured(code: code)
        case let code?: .unavailable("\(name): error \(code)")
        // HTTP's own word for credentials that are not accepted.
        case nil where status == 401: .misconfigured(code: "status 401")
        case nil: .unavailable("\(name): status \(status)")
        }
    }

    /// What it says about the id and the secret. An error about the made-up code in another form than `invalid_grant` says
    /// nothing about them.
    func check(at name: String) -> ProviderCheck {
        let fault = fault(at: name)
        guard case .unavailable = fault, let code else { return ProviderCheck(fault) }
        return .unclear(code: code)
    }
}
