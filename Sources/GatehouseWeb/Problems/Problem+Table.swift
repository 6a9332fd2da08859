import Gatehouse

extension Problem {
    struct Entry {
        let status: Int
        let code: String
        let detail: String
    }

    /// The one table from what went wrong to what the client is told.
    var entry: Entry {
        switch self {
        case .refused(let refusal):
            refusal.entry
        case .unacceptedToken(let fault):
            Entry(status: 422, code: "invalid_apple_token", detail: fault.explanation)
        case .invalidJSON(let fault):
            Entry(status: 400, code: "invalid_json", detail: fault)
        case .invalidRequest(let errors):
            Entry(status: 400, code: "invalid_request", detail: errors.map(\.sentence).joined(separator: "; "))
        case .notFound:
            Entry(status: 404, code: "not_found", detail: "there is nothing at this path")
        case .methodNotAllowed(let allowed):
            Entry(
                status: 405, code: "method_not_allowed",
                detail: "this path answers " + allowed.flatMap(\.names).joined(separator: ", "))
        case .payloadTooLarge:
            Entry(status: 413, code: "payload_too_large", detail: "a body is limited to 64 KiB")
        case .unsupportedMediaType:
            Entry(status: 415, code: "unsupported_media_type", detail: "send the body as application/json")
        case .unwell(let reason):
            Entry(status: 503, code: "storage_unavailable", detail: reason)
        case .notReady(let reason):
            Entry(status: 503, code: "not_ready", detail: reason)
        }
    }
}

extension Refusal {
    fileprivate var entry: Problem.Entry {
        switch self {
        case .appleToken(let fault): .init(status: 401, code: "invalid_apple_token", detail: fault.explanation)
        case .appleKeysUnavailable:
            .init(status: 503, code: "apple_keys_unavailable", detail: "Apple's keys cannot be had right now")
        case .devLoginDisabled:
            .init(status: 403, code: "dev_login_disabled", detail: "this installation has no development login")
        case .invalidDevSecret: .init(status: 401, code: "invalid_dev_secret", detail: "devSecret is wrong")
        case .userDisabled: .init(status: 403, code: "user_disabled", detail: "this user has been disabled")
        case .insufficientRole:
            .init(status: 403, code: "insufficient_role", detail: "this needs a higher role than the user's")
        case .noCredentials:
            .init(status: 401, code: "invalid_access_token", detail: "send Authorization: Bearer <accessToken>")
        case .invalidAccessToken:
            .init(status: 401, code: "invalid_access_token", detail: "this is no access token of ours")
        case .accessTokenExpired:
            .init(status: 401, code: "access_token_expired", detail: "refresh, and send the new access token")
        case .sessionRevoked:
            .init(
                status: 401, code: "session_revoked",
                detail: "the session has ended, or the role has changed: refresh, or sign in")
        case .invalidRefreshToken:
            .init(status: 401, code: "invalid_refresh_token", detail: "this is no refresh token of ours")
        case .refreshTokenExpired:
            .init(status: 401, code: "refresh_token_expired", detail: "the session has expired: sign in")
        case .refreshTokenRevoked:
            .init(status: 401, code: "refresh_token_revoked", detail: "the session has ended: sign in")
        case .refreshTokenReused:
            .init(
                status: 401, code: "refresh_token_reused",
                detail: "an old refresh token was used again, so the session was ended: sign in")
        case .loginTooOld(let limit):
            .init(
                status: 401, code: "login_too_old",
                detail:
                    "This needs a login that is not older than \(limit.wholeSeconds) s: sign in again, or send a fresh identityToken."
            )
        case .accountAlreadyLinked:
            .init(
                status: 409, code: "account_already_linked",
                detail: "this Apple Account signs in somebody else, or you have another one already")
        case .lastAccount:
            .init(status: 409, code: "last_account", detail: "nothing would be left to sign in with")
        case .notFound: .init(status: 404, code: "not_found", detail: "you have nothing of this name")
        case .storageUnavailable:
            .init(status: 503, code: "storage_unavailable", detail: "the store does not answer right now: try again")
        }
    }
}

extension AppleTokenFault {
    /// For the developer whose login fails: what to look at.
    package var explanation: String {
        switch self {
        case .malformed: "the identity token is not a JSON Web Token of the form that Apple issues"
        case .algorithm: "the identity token is not signed with RS256"
        case .unknownKey: "no key of Apple's has the key id that the identity token names"
        case .signature: "the signature of the identity token does not fit Apple's key"
        case .issuer: "the identity token was not issued by Apple"
        case .audience: "the identity token was made for another app: compare its aud with APPLE_BUNDLE_ID"
        case .expired: "the identity token has expired"
        case .notYetValid: "the identity token was issued in the future: compare the clocks"
        case .nonce: "the nonce of the identity token is not the one sent with it"
        case .code: "the authorizationCode does not belong to the identity token"
        case .user: "the userIdentifier is not the subject of the identity token"
        case .replayed: "the identity token has been used before"
        }
    }
}
