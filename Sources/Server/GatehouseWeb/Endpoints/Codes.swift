import Gatehouse
import JSON

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

/// The body that binds an address to the caller.
struct AddressBindingBody: RequestBody {
    private let code: PresentedCode
    private let onTaken: AddressBinding.Taken
    private let replaces: Bool
    private let refreshToken: String?
    /// For the login that a join is.
    let keepsSessionInCookie: Bool

    init(reading fields: inout FieldReader) {
        code = PresentedCode(
            id: fields.required("codeId", atMost: FieldLimit.identifier),
            code: fields.required("code", atMost: FieldLimit.identifier))
        onTaken = fields.optionalCase("onTaken") ?? .refuse
        replaces = fields.changeFlag("replace") ?? false
        refreshToken = fields.optional("refreshToken", atMost: FieldLimit.token)
        keepsSessionInCookie = fields.sessionPlace() == .cookie
    }

    /// - Parameter cookie: the refresh token of a page, whose scripts cannot read it.
    func binding(_ channel: CodeChannel, cookie: String?) -> AddressBinding {
        AddressBinding(
            channel: channel, code: code, onTaken: onTaken, replaces: replaces, refreshToken: refreshToken ?? cookie)
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
