/// Something that has just happened, for metrics and the log. It names users and sessions by id, and holds no token.
package enum Observation: Sendable, Equatable {
    case loggedIn(Provider, isNewUser: Bool)
    case loginRefused(Provider, Refusal)
    /// A provider's subjects for one person belong to two users, and the login was refused.
    case identityOfTwoUsers(Provider, UserID, UserID)
    /// - isRepeat: the same successor was returned again, because the first answer may have been lost.
    case refreshed(isRepeat: Bool)
    case refreshRefused(Refusal)
    /// A repeated refresh came from another device than the one that rotated the token.
    case refreshRepeatedElsewhere
    /// Refreshes of a session were repeated for the third time from another device than the one that rotated the token.
    case sessionRepeatedElsewhere(session: SessionID, user: UserID)
    /// The same refresh was repeated for the third time in a row.
    case refreshRepeatedOften
    /// An old refresh token was used again. The session has been ended for both holders.
    case refreshTokenReused(session: SessionID, user: UserID)
    /// A proof was missing or wrong.
    case proofRefused(DPoPFault)
    /// A token of a bound session was used with a right proof by another key. The session has been ended.
    case sessionKeyMismatch(session: SessionID, user: UserID)
    case sessionsEnded(RevokeReason, count: Int)
    /// nginx demands a role that does not exist. The guarded location is closed to every user.
    case unknownRoleDemanded(String)
    /// The same for a login: what is demanded is neither a number of seconds nor the `acr` of a login.
    case unknownLoginDemanded(String)
    case appleNotificationApplied(AppleNotification.Kind)
    case securityEventApplied(SecurityEvents.Kind)
    case appleTaskDone(AppleTask.Kind)
    case appleTaskFailed(AppleTask.Kind, AppleServerFault, of: UserID)
    /// The gateway or the mail server has accepted a message with a code.
    case codeSent(CodeChannel)
    /// A code has signed a user in, or was bound to one.
    case codeUsed(CodeChannel)
    case codeRefused(CodeChannel, CodeScope)
    case messageNotDelivered(CodeChannel, DeliveryFault)
    case ownerNotice(OutgoingMessage.Notice, NoticeOutcome)
    /// A code that was wrong, used, expired or tried too often.
    case wrongCode
    /// What became of a token of one-tap sign-in.
    case numberAsked(NumberOutcome)
    case webSignIn(WebSignInStep)
    /// A provider reports an error of its configuration or its own, with its name if that is plain.
    case webSignInRefused(Provider, PlainName?)
    /// A sign-in names an address that is not configured: what may be shown of it.
    case redirectURIRefused(String)
    /// An administrator has looked at users, or acted.
    case administered(SupportActKind)
    case administratorRefused(Refusal)
    case guests(GuestEvent, count: Int)
    /// A store failure that did not fail the request.
    case storeFailureTolerated(StoreFailure)
}

/// How far a sign-in through a browser has come.
package enum WebSignInStep: String, Sendable, CaseIterable {
    /// The browser was sent to the provider.
    case begun
    /// The provider has confirmed an identity, and the app gets a code.
    case proven
    /// The user cancelled.
    case cancelled
    case failed
    /// The app has exchanged its code for tokens.
    case exchanged
    /// The code was unknown, used or expired, or its verifier was wrong.
    case exchangeRefused = "exchange_refused"
}
