/// Something that has just happened, for whoever counts. It names users and sessions by their ids, and holds no token.
package enum Occurrence: Sendable, Equatable {
    /// It has been proven on whose behalf the request at hand is; whether they get what they ask for is another matter.
    case recognised(UserID, SessionID)
    case signedIn(Provider, isNewUser: Bool)
    case loginRefused(Provider, Refusal)
    /// A successor was issued, or the same one again.
    case refreshed(again: Bool)
    case refreshRefused(Refusal)
    /// The same successor again, for another device than the one that rotated the token.
    case refreshRepeatedElsewhere
    /// An old refresh token was used again, and the session has been ended for both who hold it.
    case refreshTokenReused(session: SessionID, user: UserID)
    case sessionsEnded(RevokeReason, count: Int)
    /// A guarded location demands what is no role, and is closed to everybody.
    case unknownRoleDemanded(String)
    case appleNotified(AppleNotification.Kind)
    case appleTaskDone(AppleTask.Kind)
    case appleTaskFailed(AppleTask.Kind, AppleServerFault, of: UserID)
}
