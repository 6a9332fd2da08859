public import JSON

/// All that is kept about a way of signing in.
public struct ExportedAccountBody: ResponseBody, Equatable {
    public var account: AccountBody
    /// Who the user is to the provider.
    public var userIdentifier: String
    /// What a client has said, and nobody has proven.
    public var emailHint: String?
    public var realUserStatus: Int64?
    /// What only the client has said of it.
    public var realUserStatusHint: Int64?
    public var transferUserIdentifier: String?

    public init(
        account: AccountBody, userIdentifier: String, emailHint: String?, realUserStatus: Int64?,
        realUserStatusHint: Int64?, transferUserIdentifier: String?
    ) {
        self.account = account
        self.userIdentifier = userIdentifier
        self.emailHint = emailHint
        self.realUserStatus = realUserStatus
        self.realUserStatusHint = realUserStatusHint
        self.transferUserIdentifier = transferUserIdentifier
    }

    public func write(to json: inout JSONObjectWriter) {
        account.write(to: &json)
        json.member("userIdentifier", userIdentifier)
        json.member("emailHint", emailHint)
        json.member("realUserStatus", realUserStatus.map(JSONValue.integer) ?? .null)
        json.member("realUserStatusHint", realUserStatusHint.map(JSONValue.integer) ?? .null)
        json.member("transferUserIdentifier", transferUserIdentifier)
    }
}
