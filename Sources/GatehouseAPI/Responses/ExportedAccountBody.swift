public import JSON

/// A way of signing in, with all that is held about it.
public struct ExportedAccountBody: ResponseBody, Equatable {
    public var account: AccountBody
    /// What the provider calls the user.
    public var providerUserId: String
    public var emailHint: String?
    public var realUserStatus: Int64?

    public init(account: AccountBody, providerUserId: String, emailHint: String?, realUserStatus: Int64?) {
        self.account = account
        self.providerUserId = providerUserId
        self.emailHint = emailHint
        self.realUserStatus = realUserStatus
    }

    public func write(to json: inout JSONObjectWriter) {
        account.write(to: &json)
        json.member("providerUserId", providerUserId)
        json.member("emailHint", emailHint)
        json.member("realUserStatus", realUserStatus)
    }
}
