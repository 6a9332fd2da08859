public import JSON

/// The answer of `GET /api/users/me/accounts`.
public struct AccountListBody: ResponseBody, Equatable {
    public var accounts: [AccountBody]

    public init(accounts: [AccountBody]) {
        self.accounts = accounts
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("accounts", array: { list in for account in accounts { list.object(account.write) } })
    }
}
