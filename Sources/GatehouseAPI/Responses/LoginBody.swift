public import JSON

/// The answer to a login.
public struct LoginBody: ResponseBody, Equatable {
    public var tokens: TokenPairBody
    public var isNewUser: Bool
    public var user: UserBody

    public init(tokens: TokenPairBody, isNewUser: Bool, user: UserBody) {
        self.tokens = tokens
        self.isNewUser = isNewUser
        self.user = user
    }

    public func write(to json: inout JSONObjectWriter) {
        tokens.write(to: &json)
        json.member("isNewUser", isNewUser)
        json.member("user", object: user.write)
    }
}
