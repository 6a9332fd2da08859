public import JSON

/// The answer to a refresh, and the first half of the answer to a login.
public struct TokenPairBody: ResponseBody, Equatable {
    public var accessToken: String
    public var refreshToken: String
    /// Seconds until the access token expires.
    public var expiresIn: Int64

    public init(accessToken: String, refreshToken: String, expiresIn: Int64) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("accessToken", accessToken)
        json.member("refreshToken", refreshToken)
        json.member("tokenType", "Bearer")
        json.member("expiresIn", expiresIn)
    }
}
