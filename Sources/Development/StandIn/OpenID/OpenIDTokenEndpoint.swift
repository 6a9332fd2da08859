import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL

/// `POST /openid/NAME/token`, where a client exchanges a code of the page.
struct OpenIDTokenEndpoint {
    static let accessTokenLifetime: Int64 = 3600

    let provider: OpenIDProvider
    let now: Int64

    func answer(_ request: HTTPRequest) throws -> HTTPReply {
        guard let form = request.form, form.repeatedName == nil else { throw OAuthError.noForm }
        let clientID = try authenticate(request, form)
        guard let kind = form["grant_type"] else { throw OAuthError.missing("grant_type") }
        guard kind == "authorization_code" else { throw OAuthError.otherGrant }
        guard let text = form["code"] else { throw OAuthError.missing("code") }
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
    private func authenticate(_ request: HTTPRequest, _ form: FormFields) throws(OAuthError) -> String {
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
    private static func basic(_ field: String) throws(OAuthError) -> (id: String, secret: String) {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic",
            let parts = Base64.decode(String(words[1]))?.split(
                separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false),
            parts.count == 2, let id = FormText.decode(parts[0]), let secret = FormText.decode(parts[1])
        else { throw .wrongSecret }
        return (id, secret)
    }
}

/// A code of the page, with what belongs to it.
struct OpenIDCode {
    static let lifetime: Int64 = 600

    let request: AuthorizationRequest
    /// The identity token that it is exchanged for.
    let order: IdentityOrder
    let issuedAt: Int64
    var isUsed = false
}

/// The codes that a provider has issued, with the rules for their validity.
struct OpenIDCodes {
    private var codes: [String: OpenIDCode] = [:]

    mutating func add(_ code: OpenIDCode) -> String {
        codes = codes.filter { code.issuedAt < $0.value.issuedAt + OpenIDCode.lifetime }
        let text = "4/0A" + RandomText.text(60)
        codes[text] = code
        return text
    }

    mutating func redeem(
        _ text: String, clientID: String, redirectURI: String?, verifier: String?, now: Int64
    ) throws(OAuthError) -> OpenIDCode {
        guard let code = codes[text], code.request.clientID == clientID else { throw .unknownCode }
        guard !code.isUsed, now < code.issuedAt + OpenIDCode.lifetime else { throw .endedCode }
        guard code.request.redirectURI == redirectURI else { throw .otherRedirectURI }
        try Self.check(verifier, code.request.challenge)
        codes[text]?.isUsed = true
        return code
    }

    /// A verifier without a challenge is refused as well, so that a request from which an attacker has removed the challenge
    /// gets no tokens (RFC 9700, section 2.1.1).
    private static func check(_ verifier: String?, _ challenge: String?) throws(OAuthError) {
        switch (verifier, challenge) {
        case (nil, nil): return
        case (nil, _?): throw .missingVerifier
        case (_?, nil): throw .needlessVerifier
        case (let verifier?, let challenge?):
            guard Base64URL.encode(Array(SHA256.hash(Array(verifier.utf8)))) == challenge else {
                throw .wrongVerifier
            }
        }
    }
}

// In the words of Google.
extension OAuthError {
    fileprivate static let noForm = OAuthError(.invalidRequest, "The body must be a form with each field once.")
    fileprivate static let twoAuthentications = OAuthError(
        .invalidRequest, "The client has authenticated in the header and in the body.")
    fileprivate static let unknownClient = OAuthError(unauthorized: "The OAuth client was not found.")
    fileprivate static let wrongSecret = OAuthError(unauthorized: "Unauthorized")
    fileprivate static let unknownCode = OAuthError(.invalidGrant, "Malformed auth code.")
    fileprivate static let endedCode = OAuthError(.invalidGrant, "Bad Request")
    fileprivate static let otherRedirectURI = OAuthError(.otherRedirectURI, "Bad Request")
    fileprivate static let missingVerifier = OAuthError(.invalidGrant, "Missing code verifier.")
    fileprivate static let wrongVerifier = OAuthError(.invalidGrant, "Invalid code verifier.")
    fileprivate static let needlessVerifier = OAuthError(.invalidGrant, "code_verifier or verifier is not needed.")
    fileprivate static let otherGrant = OAuthError(.unsupportedGrantType, "Invalid grant_type.")

    fileprivate static func missing(_ name: String) -> OAuthError {
        OAuthError(.invalidRequest, "Missing required parameter: \(name)")
    }

    /// The client has to authenticate in another way.
    private init(unauthorized reason: String) {
        self.init(.invalidClient, reason)
        status = "401 Unauthorized"
    }

    /// Only Google has a word of its own for another redirect address.
    func reply(isGoogle: Bool) -> HTTPReply {
        let error = code == .otherRedirectURI && !isGoogle ? OAuthError(.invalidGrant, reason) : self
        let reply = error.reply.adding("Cache-Control", "no-store")
        return status.hasPrefix("401") ? reply.adding("WWW-Authenticate", "Basic") : reply
    }
}
