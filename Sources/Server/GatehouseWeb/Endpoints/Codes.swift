import Gatehouse
import JSON
import Text

extension Endpoints {
    /// Sends a code to a phone number or a mail address.
    func sendCode(_ request: Request, _ body: CodeRequestBody, in context: inout RequestContext) throws -> Response {
        let sent = try auth.sendCode(
            body.request(acceptLanguage: request.text(of: .acceptLanguage)), from: request.device,
            requestID: request.id)
        return .accepted(SentCodeBody(sent: sent))
    }

    /// Logs in by a code.
    func logInByCode(_ request: Request, _ body: CodeLoginBody, in context: inout RequestContext) throws -> Response {
        if body.keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
        let result = try auth.logIn(
            by: PresentedCode(id: request.pathArgument, code: body.code), nickname: body.nickname,
            boundBy: request.proof, from: request.device, in: &context)
        return .login(result, inCookie: body.keepsSessionInCookie)
    }
}

extension Endpoints {
    /// Logs in by a token of one-tap sign-in.
    func logInByNumber(
        _ request: Request, _ body: NumberLoginBody, in context: inout RequestContext
    ) throws -> Response {
        .ok(
            LoginBody(
                try auth.logIn(
                    by: body.token, nickname: body.nickname, boundBy: request.proof, from: request.device, in: &context)
            ))
    }
}

// MARK: - Request bodies

struct CodeRequestBody: RequestBody {
    private let channel: CodeChannel?
    private let to: String
    private let codeID: String?

    init(reading fields: inout FieldReader) {
        channel = fields.requiredCase("channel")
        to = fields.required("to", atMost: FieldLimit.identifier)
        codeID = fields.optional("codeId", atMost: FieldLimit.identifier)
    }

    /// - Parameter acceptLanguage: the header field.
    func request(acceptLanguage: String?) -> CodeRequest {
        CodeRequest(channel: channel ?? .phone, to: to, resending: codeID, acceptLanguage: acceptLanguage)
    }
}

struct CodeLoginBody: RequestBody {
    let code: String
    let nickname: String?
    let keepsSessionInCookie: Bool

    init(reading fields: inout FieldReader) {
        code = fields.required("code", atMost: FieldLimit.identifier)
        nickname = fields.optionalName("nickname")
        keepsSessionInCookie = fields.sessionPlace() == .cookie
    }
}

struct NumberLoginBody: RequestBody {
    let token: NumberToken
    let nickname: String?

    init(reading fields: inout FieldReader) {
        token = fields.numberToken()
        nickname = fields.optionalName("nickname")
    }
}

/// The body that binds an address by a code.
struct CodeBindingBody: RequestBody {
    let binding: AddressBindingBody

    init(reading fields: inout FieldReader) {
        let code = PresentedCode(
            id: fields.required("codeId", atMost: FieldLimit.identifier),
            code: fields.required("code", atMost: FieldLimit.identifier))
        binding = AddressBindingBody(.code(code), reading: &fields)
    }
}

/// The body that binds a number by a token of one-tap sign-in.
struct NumberBindingBody: RequestBody {
    let binding: AddressBindingBody

    init(reading fields: inout FieldReader) {
        binding = AddressBindingBody(.number(fields.numberToken()), reading: &fields)
    }
}

extension FieldReader {
    /// Both texts are passed on, and neither is looked at but for its form.
    fileprivate mutating func numberToken() -> NumberToken {
        let gateway = required("gateway", atMost: FieldLimit.gateway)
        if !gateway.utf8.allSatisfy({ $0.isUnreserved }) { reject("gateway", "must be letters, digits and -._~") }
        let token = required("token", atMost: FieldLimit.numberToken)
        // White space or a line break would make two texts of one token.
        if !token.utf8.allSatisfy(\.isVisible) { reject("token", "must be visible ASCII") }
        return NumberToken(gateway: gateway, token: token)
    }
}

/// What binds an address to the caller.
struct AddressBindingBody {
    private let proof: AddressBinding.Proof
    private let replaces: Bool
    let onTaken: OnTakenBody

    fileprivate init(_ proof: AddressBinding.Proof, reading fields: inout FieldReader) {
        self.proof = proof
        replaces = fields.changeFlag("replace") ?? false
        onTaken = OnTakenBody(reading: &fields)
    }

    func binding(_ channel: CodeChannel, onTaken: OnTaken) -> AddressBinding {
        AddressBinding(
            channel: channel, proof: proof, onTaken: onTaken.taken, replaces: replaces,
            refreshToken: onTaken.refreshToken)
    }
}

/// The members that say what becomes of an identity of another user.
struct OnTakenBody: RequestBody {
    private let taken: AddressBinding.Taken
    private let refreshToken: String?
    /// For the login that a join is.
    let keepsSessionInCookie: Bool

    init(reading fields: inout FieldReader) {
        taken = fields.optionalCase("onTaken") ?? .refuse
        refreshToken = fields.optional("refreshToken", atMost: FieldLimit.token)
        keepsSessionInCookie = fields.sessionPlace() == .cookie
    }

    /// With the refresh token of the session's cookie, which the scripts of a page cannot read.
    func rule(for request: Request, by auth: AuthService) throws(Refusal) -> OnTaken {
        guard keepsSessionInCookie else { return OnTaken(taken, refreshToken: refreshToken) }
        try request.requirePageOfThisSite(by: auth.web)
        return OnTaken(taken, refreshToken: refreshToken ?? request.cookie(.session))
    }
}

// MARK: - Response bodies

private struct SentCodeBody: ResponseBody {
    let sent: SentCode

    func write(to json: inout JSONObjectWriter) {
        json.member("codeId", sent.id)
        json.member("expiresIn", sent.expiresIn.wholeSeconds)
        json.member("resendAfter", sent.resendAfter.wholeSeconds)
    }
}
