/// The error numbers of WeChat's open platform.
enum WeChatError {
    /// An error that is not listed may pass, like `-1` (busy) and 45011 (too many calls in this minute).
    static func meaning(of number: Int64) -> ErrorMeaning {
        switch number {
        // Invalid, used, expired, missing.
        case 40029, 40163, 42003, 41008: .code
        // The id, the secret, a frozen secret, an address that is not in the operator's list, and the app's permissions.
        case 40013, 41002, 40125, 41004, 40243, 40164, 48001, 50001, 50002: .configuration
        default: .other
        }
    }
}
