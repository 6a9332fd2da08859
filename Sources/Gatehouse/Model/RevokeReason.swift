/// Why a session ended before its time.
package enum RevokeReason: String, Sendable, CaseIterable {
    case logout = "logout"
    case reuse = "reuse"
}
