/// Why a use case did not do what the request asks for. The web layer has one table that maps each case to a status
/// and a code.
package enum Refusal: Error, Sendable, Equatable {
    /// The credential of a login, or of a link, is not valid.
    case identity(IdentityFault, by: Provider)
    /// The credential lacks a member that its provider needs.
    case missing(IdentityCredential.Member)
    /// The provider has to be asked, and does not answer: for its keys, or about a code.
    case providerUnavailable(Provider)
    /// The provider refuses Gatehouse's own credentials: an operator has to correct them.
    case providerMisconfigured(Provider)
    case unknownProvider
    /// The address of a code cannot be read.
    case invalidAddress(AddressFault)
    /// The number belongs to a country that gets no codes.
    case countryNotServed
    case tooManyCodes(CodeLimitReached)
    /// The gateway or the mail server did not accept the message.
    case deliveryUnavailable(CodeChannel)
    /// Wrong, used, expired, tried too often or unknown: an attacker must not learn which.
    case invalidCode
    /// The user of the number was away for long, and has another way to sign in.
    case staleNumber
    /// The user has to bind a phone number before anything else.
    case phoneRequired
    /// The guarded location is not for guests.
    case guest
    case tooManyGuests(CodeLimitReached)
    /// The user is a guest, and cannot be what an operator or an administrator wants.
    case userIsGuest
    /// The address at which a sign-in through a browser would end is not registered.
    case invalidRedirectURI
    /// This browser has begun no sign-in with this state, or has ended it.
    case invalidState
    /// The code of a sign-in through a browser: unknown, used, expired, or of another app.
    case invalidGrant
    /// A page of this origin may not use the session's cookie.
    case originNotAllowed
    /// The browser of a page of another site would not keep the session's cookie.
    case pageOfAnotherSite
    case devLoginDisabled
    case invalidDevSecret
    case userDisabled
    case insufficientRole

    case noCredentials
    /// A logout with neither an access token nor a refresh token.
    case noTokenToEnd
    case invalidAccessToken
    /// What was sent as an access token is a token of this kind.
    case notAnAccessToken(TokenKind)
    case accessTokenExpired
    case sessionRevoked

    /// The proof of a bound session's request is missing or wrong, or that of a login is wrong.
    case invalidProof(DPoPFault)

    /// A request of a service without a token, from a process that needs one.
    case noServiceToken
    case invalidServiceToken

    case invalidRefreshToken
    /// What was sent as a refresh token is a token of this kind.
    case notARefreshToken(TokenKind)
    case refreshTokenExpired
    case refreshTokenRevoked
    case refreshTokenReused

    /// The request needs a login that is not older than this, or a fresh identity token.
    case loginTooOld(limit: Duration)
    /// The same for a guarded location, which takes no identity token.
    case guardedLoginTooOld(limit: Duration)
    /// The request needs a login that proves this much.
    case insufficientAuthentication(LoginStrength)

    case accountAlreadyLinked(LinkConflict)
    case lastAccount
    /// It does not exist, or belongs to another user.
    case notFound

    /// The answer of an authenticator is not valid.
    case passkey(PasskeyFault)
    /// The address or number of a sign-up by passkey cannot be read.
    case invalidContact(AddressFault)
    case tooManyPasskeys
    case noSuchPasskey
    /// The API for support does not exist for this caller.
    case hidden
    case invalidAttributes([AttributeFault])
    /// The attributes have this version, and the service expects another one.
    case attributesConflict(Int64)
    /// No user has the id that an administrator or a service has named.
    case unknownUser
    case unknownEvent
    /// An act of an administrator comes without its reason.
    case reasonRequired
    /// An administrator would act on themself.
    case ownAccount
    case mergeConflict(MergeConflict)
    /// The user was not merged within the time in which that can be undone.
    case notMerged
    /// The other user would have no way to sign in.
    case nothingLeftToMerge

    case storageUnavailable(StoreFailure)
}

extension Refusal {
    /// A stable word for metrics and the audit trail, from a fixed set: the number of metric labels must not depend on
    /// what clients send.
    package var label: String {
        switch self {
        case .identity(let fault, _): fault.reason.rawValue
        case .passkey(let fault): fault.reason
        case .providerUnavailable(.apple): "apple_keys_unavailable"
        case .providerUnavailable: "provider_unavailable"
        case .providerMisconfigured: "provider_misconfigured"
        case .storageUnavailable: "storage_unavailable"
        case .userDisabled: "user_disabled"
        case .invalidCode: "code"
        case .countryNotServed: "country_not_served"
        case .staleNumber: "stale_number"
        case .tooManyGuests: "too_many_guests"
        case .invalidDevSecret: "dev_secret"
        case .invalidRefreshToken, .notARefreshToken: "unknown_token"
        case .refreshTokenExpired: "expired_token"
        case .refreshTokenRevoked: "revoked_token"
        case .refreshTokenReused: "reused_token"
        case .invalidProof: "dpop_proof"
        case .loginTooOld, .guardedLoginTooOld: "login_too_old"
        case .insufficientAuthentication: "insufficient_authentication"
        case .insufficientRole: "insufficient_role"
        case .ownAccount: "own_account"
        case .mergeConflict: "merge_conflict"
        case .notMerged: "not_merged"
        case .nothingLeftToMerge: "last_account"
        default: "refused"
        }
    }
}
