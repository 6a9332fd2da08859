/// The operator's app at QQ Connect.
package struct QQApp: Sendable, Equatable {
    package let id: String
    package let key: String
    /// Without a slash at its end.
    package let apiURL: String

    package static let standardAPI = "https://graph.qq.com"

    package init(id: String, key: String, apiURL: String = Self.standardAPI) {
        self.id = id
        self.key = key
        self.apiURL = apiURL
    }
}
