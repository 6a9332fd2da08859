/// Who vouches for an identity.
package enum Provider: String, Sendable, CaseIterable {
    case dev = "DEV"
    case apple = "APPLE"
}
