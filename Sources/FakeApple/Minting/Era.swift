/// A time in which Apple's identity tokens looked the same.
package enum Era: String, Sendable, CaseIterable {
    /// The first year: ten minutes long, flags as words, no word on nonces.
    case launch = "2019"
    /// A day long, flags as words, and how real the person is.
    case words = "2021"
    /// Flags as booleans.
    case booleans = "2025"

    /// In seconds.
    var lifetime: Int64 { self == .launch ? 600 : 86_400 }
}
