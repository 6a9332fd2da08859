/// How a provider answers.
enum AnswerMode: String, CaseIterable, Sendable {
    case normal
    /// An error status.
    case status
    /// Performs the request, and delays the answer.
    case slow
    /// Does not answer until the mode changes.
    case hang
    /// Closes the connection without an answer.
    case close
    /// 200 with a page, as a captive portal or a proxy sends it.
    case html
    /// The usual answer, followed by a mebibyte of white space.
    case huge
    /// A redirect to an address that answers as usual.
    case redirect

    // Of WeChat and QQ.
    /// The usual answer, declared as JSON.
    case json
    /// Errors have a trailing comma, as in the sample of QQ's documentation.
    case trailingComma

    // Of a discovery document.
    case wrongIssuer

    // Of a key set.
    /// The good keys after five keys that cannot be used.
    case unusable
    /// Each good key is between two others with its key id.
    case duplicateKid
    case noKid
    /// A set without keys.
    case empty

    /// The modes that apply to every endpoint.
    private static let common: [AnswerMode] = [.normal, .status, .slow, .hang, .close, .html, .huge, .redirect]

    static let ofWeChat = common + [.json]
    static let ofQQ = common + [.json, .trailingComma]
    static let ofSMS = common
    static let ofSignIn = common
    static let ofMail: [AnswerMode] = [.normal, .status, .slow, .hang, .close]
    static let ofDiscovery = common + [.wrongIssuer]
    static let ofKeys = common + [.unusable, .duplicateKid, .noKid, .empty]
}
