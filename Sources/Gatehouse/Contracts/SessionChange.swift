/// What a refresh does to a session.
package enum SessionChange: Sendable {
    /// It moves on to its next generation.
    case next(SessionToken, from: Device)
    case end(RevokeReason, noting: AuditEvent)
}
