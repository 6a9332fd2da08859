import DevelopmentHTTP

/// What is different at a provider whose apps get a code, and ask its API for the user: paths, names, errors and words.
protocol CodeProviderKind: Sendable {
    static var name: String { get }
    /// What its paths begin with.
    static var prefix: String { get }
    /// The app for phones, and the website app, unless a request changes them.
    static var app: WebClient { get }
    static var website: WebClient { get }
    /// The names of the id and the secret of an app in such a request.
    static var members: (id: String, secret: String) { get }
    static var endpoints: [CodeEndpoint] { get }
    static var errors: [CodeFault: CodeError] { get }
    static var modes: [AnswerMode] { get }
    static var contentType: String { get }

    static var pagePath: String { get }
    /// What signs in at the page.
    static var button: String { get }
    /// What the website is told when the user declines.
    static var denial: [(String, String?)] { get }

    static var accessTokenLifetime: Int64 { get }
    static var refreshTokenLifetime: Int64 { get }
    /// Whether an exchange of a refresh token ends the token.
    static var renewsRefreshToken: Bool { get }
    /// Whether an app gets an access token beside the code.
    static var hasAppTokens: Bool { get }
    static var usualNickname: String { get }
    /// The members of an order for a code, as a refusal explains them.
    static var knownMembers: String { get }

    static func newCode() -> String
    static func newToken() -> String
    /// - Parameters:
    ///   - account: the text that names it at the page; nil for a new one.
    ///   - clientID: nil for the app for phones.
    static func openID(of account: String?, at clientID: String?) -> String
    static func unionID(of openID: String) -> String
    /// Takes the members that only this provider has.
    static func take(_ order: inout OrderReader, _ user: inout CodeUser)

    /// - Parameter clientID: the app of the grant.
    static func answer(
        _ call: CodeEndpoint.Call, _ grant: CodeGrant, of clientID: String, _ parameters: FormFields
    ) throws(CodeError) -> [UInt8]
    static func answer(
        _ call: CodeEndpoint.Call, _ error: CodeError, _ parameters: FormFields, _ mode: AnswerMode, now: Int64
    ) -> [UInt8]

    static func pageRequest(_ request: HTTPRequest, _ clients: WebClients) throws(PageFault) -> AuthorizationRequest
    static func pageFault(_ error: CodeError) -> PageFault
}

/// An error of such a provider, which is sent with status 200.
struct CodeError: Error, Equatable, ExpressibleByIntegerLiteral {
    let code: Int64
    /// Nil for the usual text of the code.
    var text: String?

    init(_ code: Int64, _ text: String? = nil) {
        (self.code, self.text) = (code, text)
    }

    init(integerLiteral code: Int64) {
        self.init(code)
    }
}

/// What can be wrong with a request whose parameters are complete. A provider has an error for each that it tells of.
enum CodeFault {
    case unknownApp, wrongSecret, otherRedirectURI
    case unknownCode, usedCode, expiredCode
    case unknownRefreshToken, expiredRefreshToken
    case otherOpenID
}

/// An endpoint of such a provider.
struct CodeEndpoint: Sendable {
    enum Call: String {
        case exchange = "authorization_code"
        case refresh = "refresh_token"
        /// Asks who the user of a token is, or for the user's profile.
        case check, profile
    }

    let path: String
    let call: Call
    /// The parameters in the order in which they are checked, each with the error if it is missing or, for `grant_type`, another.
    let demanded: [(name: String, error: CodeError)]
    /// The parameters that name the app and contain its secret.
    var client: String?
    var secret: String?
    /// For an access token.
    var unknownToken: CodeError = 0
    var expiredToken: CodeError = 0
    var checksOpenID = false
}

extension CodeProviderKind {
    static func error(_ fault: CodeFault) -> CodeError { errors[fault] ?? -1 }
}
