/// The error numbers of QQ Connect.
enum QQError {
    /// The app does not use unionids.
    static let noUnionID: Int64 = 100_048
    /// The redirect URI is not the app's.
    static let redirectURI: Int64 = 100_010

    /// An error that is not listed may pass.
    static func meaning(of number: Int64) -> ErrorMeaning {
        switch number {
        // Missing, not found, not exchangeable, used.
        case 100_005, 100_017...100_020: .code
        // Missing, malformed, expired, revoked, not valid.
        case 100_007, 100_013...100_016: .accessToken
        // The id, the key, the redirect URI, an app that is not online, and the app's permissions.
        case 100_001, 100_002, 100_008, 100_009, redirectURI, 100_011, 100_031: .configuration
        default: .other
        }
    }
}
