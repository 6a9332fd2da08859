import DevelopmentHTTP
import JOSE
import JSON

/// `POST /openid/NAME/token`, where a client exchanges a code of the page.
struct OpenIDTokenEndpoint {
    static let accessTokenLifetime: Int64 = 3600

    let provider: OpenIDProvider
    let now: Int64

    func answer(_ request: HTTPRequest) throws -> HTTPReply {
        guard let form = request.form, !form.hasRepeatedName else { throw TokenEndpointError.noForm }
        let clientID = try authenticate(request, form)
        guard let kind = form["grant_type"] else { throw TokenEndpointError.missing("grant_type") }
        guard kind == "authorization_code" else { throw TokenEndpointError.otherGrant }
        guard let text = form["code"] else { throw TokenEndpointError.missing("code") }
        let code = try provider.redeem(
            text, clientID: clientID, redirectURI: form["redirect_uri"], verifier: form["code_verifier"], now: now)
        return .ok(try tokens(for: code)).adding("Cache-Control", "no-store")
    }

    private func tokens(for code: OpenIDCode) throws -> JSONObject {
        [
            "access_token": .string(code.order.accessToken ?? ""), "token_type": "Bearer",
            "expires_in": .integer(Self.accessTokenLifetime),
            "scope": .string(code.request.scopes.sorted().joined(separator: " ")),
            "id_token": .string(try provider.token(code.order, now: now)),
        ]
    }

    /// Returns the client's id.
    private func authenticate(_ request: HTTPRequest, _ form: FormFields) throws(TokenEndpointError) -> String {
        let credentials: (id: String, secret: String)
        switch (request["authorization"], form["client_secret"]) {
        case (_?, _?): throw .twoAuthentications
        case (let field?, nil): credentials = try Self.basic(field)
        case (nil, let secret):
            guard let id = form["client_id"] else { throw .missing("client_id") }
            credentials = (id, secret ?? "")
        }
        guard let client = provider.clients[credentials.id] else { throw .unknownClient }
        guard client.secret == credentials.secret else { throw .wrongSecret }
        return client.id
    }

    /// Both parts are encoded as in a form, before they are joined (RFC 6749, section 2.3.1).
    private static func basic(_ field: String) throws(TokenEndpointError) -> (id: String, secret: String) {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic",
            let parts = Base64.decode(String(words[1]))?.split(
                separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false),
            parts.count == 2, let id = FormText.decode(parts[0]), let secret = FormText.decode(parts[1])
        else { throw .wrongSecret }
        return (id, secret)
    }
}
