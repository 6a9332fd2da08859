/// The operator's app at WeChat's open platform.
package struct WeChatApp: Sendable, Equatable {
    package let id: String
    package let secret: String
    /// Without a slash at its end.
    package let apiURL: String

    package static let standardAPI = "https://api.weixin.qq.com"

    package init(id: String, secret: String, apiURL: String = Self.standardAPI) {
        self.id = id
        self.secret = secret
        self.apiURL = apiURL
    }
}
