import Gatehouse

extension Problem {
    struct Entry {
        let status: Int
        let code: String
        let detail: String

        fileprivate init(_ status: Int, code: String, _ detail: String) {
            (self.status, self.code, self.detail) = (status, code, detail)
        }
    }

    /// The only table that maps problems to the status, code and detail of the answer.
    var entry: Entry {
        switch self {
        case .refused(let refusal):
            refusal.entry
        case .unacceptedIdentity(let fault, let provider):
            Entry(422, code: provider.credentialCode, fault.explanation(by: provider))
        case .invalidSecurityEvents(let fault, let provider):
            Entry(
                400, code: "invalid_identity",
                "The security event is no valid one of \(provider.rawValue): \(fault.reason.rawValue).")
        case .unacceptedPasskey(let fault): Entry(422, code: "invalid_passkey", fault.explanation)
        case .unacceptedCode: Entry(422, code: "invalid_code", Refusal.invalidCodeDetail)
        case .unacceptedRefreshToken:
            Entry(
                422, code: "invalid_refresh_token",
                """
                The refreshToken is not valid, is not the current one, or belongs to another user or session. Nothing has \
                changed. Log out without it; before a join, refresh.
                """)
        case .invalidJSON(let fault): Entry(400, code: "invalid_json", fault)
        case .invalidRequest(let errors):
            Entry(400, code: "invalid_request", errors.map(\.sentence).joined(separator: "; "))
        case .notFound: Entry(404, code: "not_found", "This path does not exist.")
        case .unknownUser: Entry(404, code: "not_found", "No user has this id.")
        case .preconditionRequired:
            Entry(
                428, code: "precondition_required",
                """
                Send If-Match with the attributesVersion that you have read, in quotes, or * to replace any version.
                """)
        case .methodNotAllowed(let allowed):
            Entry(
                405, code: "method_not_allowed",
                "This path allows " + allowed.flatMap(\.names).joined(separator: ", ") + ".")
        case .payloadTooLarge: Entry(413, code: "payload_too_large", "A request body may have at most 64 KiB.")
        case .unsupportedMediaType(let expected):
            Entry(
                415, code: "unsupported_media_type", "Send the body as \(expected.rawValue) in UTF-8.")
        case .tooManyParameters(let limit):
            Entry(400, code: "invalid_request", "A form or a query may have at most \(limit) parameters.")
        case .unsupportedGrantType:
            Entry(400, code: "invalid_request", "The grant_type has to be authorization_code or refresh_token.")
        case .returned(_, let error, _): Entry(303, code: error.rawValue, error.description)
        case .unhealthy(let reason): Entry(503, code: "storage_unavailable", reason)
        case .notReady(let reason): Entry(503, code: "not_ready", reason)
        }
    }
}

extension Refusal {
    fileprivate var entry: Problem.Entry {
        switch self {
        case .identity(let fault, let provider):
            .init(401, code: provider.credentialCode, fault.explanation(by: provider))
        case .missing(let member): .init(400, code: "invalid_request", member.fault.sentence)
        case .providerUnavailable(.apple):
            .init(
                503, code: "apple_keys_unavailable",
                "Apple's public keys are not available right now. Try again later.")
        // Of one-tap sign-in.
        case .providerUnavailable(.phone):
            .init(
                503, code: "provider_unavailable",
                "The carrier could not be asked. Get a new token from the library, or sign in by a code.")
        case .providerUnavailable(let provider):
            .init(
                503, code: "provider_unavailable",
                """
                \(provider.rawValue) does not answer right now. Try again later, with a new code if the request had one.
                """)
        case .providerMisconfigured(let provider):
            .init(
                503, code: "provider_unavailable",
                "\(provider.rawValue) refuses the credentials of this installation. Tell its operator.")
        case .unknownProvider:
            .init(404, code: "unknown_provider", "No provider with this name is configured in this installation.")
        case .invalidAddress(let fault): .init(400, code: "invalid_request", fault.fieldError().sentence)
        case .invalidContact(let fault): .init(400, code: "invalid_request", fault.fieldError(of: "contact").sentence)
        case .countryNotServed:
            .init(
                422, code: "country_not_served",
                "Numbers of this country, or this kind, are not served here. Sign in another way.")
        case .tooManyCodes(let reached):
            .init(
                429, code: "too_many_codes",
                "Too many codes were asked for. Ask for the next one in \(reached.wait.wholeSeconds) s.")
        case .deliveryUnavailable(let channel):
            .init(
                503, code: "delivery_unavailable",
                "The code could not be sent by \(channel.name). Try again, or sign in another way.")
        case .invalidCode: .init(401, code: "invalid_code", Self.invalidCodeDetail)
        case .staleNumber:
            .init(
                403, code: "stale_number",
                "The account of this number was not used for a long time. Sign in by another of its accounts.")
        case .phoneRequired:
            .init(
                403, code: "phone_required",
                "The user has no phone number yet. Bind one, then refresh and send the new access token.")
        case .guest:
            .init(
                403, code: "guest",
                "This is not for guests. Let the guest link an account, then send the request again.")
        case .tooManyGuests(let reached):
            .init(
                429, code: "too_many_guests",
                "Too many guests were made from here. Try again in \(reached.wait.wholeSeconds) s, or sign in.")
        case .userIsGuest:
            .init(
                409, code: "user_is_guest",
                "The user is a guest, and guests are no administrators. Let the guest link an account first.")
        case .invalidRedirectURI:
            .init(
                400, code: "invalid_redirect_uri",
                "The redirect_uri is missing, or is not one of REDIRECT_URIS of this server.")
        case .invalidState:
            .init(
                400, code: "invalid_state",
                """
                It was completed before, took more than ten minutes, or was begun in another browser. Return to the app \
                and sign in again.
                """)
        case .invalidGrant:
            .init(
                400, code: "invalid_grant",
                "The code is unknown, used or expired, or the code verifier is not its own. Sign in again.")
        case .originNotAllowed:
            .init(
                403, code: "origin_not_allowed",
                """
                Only pages of this server, and of the origins in CORS_ORIGINS, may use the session's cookie. To permit this \
                page, add its origin to CORS_ORIGINS.
                """)
        case .pageOfAnotherSite:
            .init(
                403, code: "origin_not_allowed",
                """
                The page is of another site than this server, so the browser would drop the session's cookie: http and https \
                are two sites, and so are two domains. Call the API at the page's own origin, through a proxy that passes \
                /api on, or serve both by https at hosts of one domain.
                """)
        case .devLoginDisabled:
            .init(403, code: "dev_login_disabled", "The development login is disabled in this installation.")
        case .invalidDevSecret:
            .init(401, code: "invalid_dev_secret", "The devSecret is wrong. Compare it with DEV_LOGIN_SECRET.")
        case .userDisabled: .init(403, code: "user_disabled", "This user has been disabled.")
        case .insufficientRole:
            .init(
                403, code: "insufficient_role", "This request needs a higher role than the user has.")
        case .noCredentials:
            .init(
                401, code: "invalid_access_token",
                "The request has no access token. Send Authorization: Bearer <accessToken>.")
        case .noTokenToEnd:
            .init(
                401, code: "invalid_access_token",
                "The request has no token. Send an access token, or a refreshToken in the body.")
        case .invalidAccessToken:
            .init(401, code: "invalid_access_token", "The access token is not valid. Refresh, and send the new one.")
        case .notAnAccessToken(let kind):
            .init(
                401, code: "invalid_access_token",
                "This is \(kind.name), not an access token. Send the accessToken of \(kind.answer).")
        case .accessTokenExpired:
            .init(401, code: "access_token_expired", "The access token has expired. Refresh, and send the new one.")
        case .sessionRevoked:
            .init(
                401, code: "session_revoked",
                "The session has ended, or the user's role or attributes have changed. Refresh, or log in again.")
        case .invalidProof(let fault): .init(401, code: "invalid_dpop_proof", fault.explanation)
        case .noServiceToken:
            .init(
                401, code: "invalid_service_token",
                "The request has no service token. Send Authorization: Bearer with a token of SERVICE_TOKENS.")
        case .invalidServiceToken:
            .init(401, code: "invalid_service_token", "The service token is not valid. Compare it with SERVICE_TOKENS.")
        case .invalidRefreshToken:
            .init(401, code: "invalid_refresh_token", "The refresh token is not valid. Log in again.")
        case .notARefreshToken(let kind):
            .init(
                401, code: "invalid_refresh_token",
                "This is \(kind.name), not a refresh token. Send the refreshToken of \(kind.answer).")
        case .refreshTokenExpired: .init(401, code: "refresh_token_expired", "The session has expired. Log in again.")
        case .refreshTokenRevoked: .init(401, code: "refresh_token_revoked", "The session has ended. Log in again.")
        case .refreshTokenReused:
            .init(
                401, code: "refresh_token_reused",
                "An old refresh token was used again, so the session was ended. Log in again.")
        case .loginTooOld(let limit):
            .init(
                401, code: "login_too_old",
                """
                This request needs a login that is at most \(limit.wholeSeconds) s old. Log in again or, except for \
                linking, send a fresh identityToken of one of your accounts.
                """)
        case .guardedLoginTooOld(let limit):
            .init(
                401, code: "login_too_old",
                "This request needs a login that is at most \(limit.wholeSeconds) s old. Log in again.")
        case .insufficientAuthentication(let strength):
            .init(
                401, code: "insufficient_authentication",
                """
                This request needs a login with acr \(strength.rawValue), a passkey that verifies its user. Log in again \
                with one.
                """)
        case .accountAlreadyLinked(.identity):
            .init(
                409, code: "account_already_linked",
                "This account belongs to another user. Log in with it, or link it after that user was deleted.")
        case .accountAlreadyLinked(.provider):
            .init(
                409, code: "account_already_linked",
                """
                You have another account of this provider. Replace a number or address with replace; to unlink any \
                other one, link an account of another provider first, if it is your only one.
                """)
        case .lastAccount:
            .init(
                409, code: "last_account",
                "This is your only way to log in. Link another account first, or delete the user.")
        case .hidden: Problem.notFound.entry
        case .unknownUser: Problem.unknownUser.entry
        case .invalidAttributes(let faults):
            .init(
                422, code: "invalid_attributes",
                faults.map { "\($0.member ?? "The object") \($0.explanation)" }.joined(separator: "; ") + ".")
        case .attributesConflict(let version):
            .init(
                412, code: "precondition_failed",
                "The attributes have version \(version) by now. Read the user, and make the change again.")
        case .unknownEvent: .init(404, code: "not_found", "No receiver waits for an event with this id.")
        case .reasonRequired:
            .init(
                422, code: "reason_required",
                "An act needs a reason of 3 to 500 bytes, for the audit trail. Send it as reason.")
        case .ownAccount:
            .init(
                409, code: "own_account",
                "Administrators do not act on their own account. Let another administrator do it.")
        case .mergeConflict(let conflict): .init(409, code: "merge_conflict", conflict.explanation)
        case .notMerged:
            .init(
                409, code: "not_merged",
                "This user was not merged into another one within a day, or that was undone already.")
        case .nothingLeftToMerge:
            .init(
                409, code: "merge_conflict",
                "One of the two users would have no way to sign in. Link another account first.")
        case .notFound: .init(404, code: "not_found", "No session with this id belongs to you.")
        case .noSuchPasskey: .init(404, code: "not_found", "No passkey with this id belongs to you.")
        case .passkey(let fault): .init(401, code: "invalid_passkey", fault.explanation)
        case .tooManyPasskeys:
            .init(
                409, code: "too_many_passkeys",
                "You have \(Passkey.most) passkeys, and may have no more. Delete one that you do not use.")
        case .storageUnavailable:
            .init(503, code: "storage_unavailable", "The database is not available right now. Try again later.")
        }
    }
}

extension Refusal {
    /// The same in each case, so that an attacker learns nothing.
    fileprivate static let invalidCodeDetail = """
        The code is wrong, used or expired, or was tried too often. Ask for a new one.
        """
}

extension MergeConflict {
    fileprivate var explanation: String {
        switch self {
        case .account(let provider):
            "Both users have an account at \(provider.rawValue). Unlink one of the two first."
        case .status: "Both users have to be active, and two, and the one who goes away needs an account."
        case .role: "Both users need the role USER. Change the role first."
        case .guest: "The user who would stay is a guest. Let the guest link an account, or delete the guest."
        }
    }
}

extension CodeChannel {
    fileprivate var name: String {
        switch self {
        case .phone: "SMS"
        case .email: "mail"
        }
    }
}

extension Provider {
    /// The code of an answer to a bad credential. Apple's is older than the others.
    fileprivate var credentialCode: String { self == .apple ? "invalid_apple_token" : "invalid_identity" }
}

extension PasskeyFault {
    fileprivate var explanation: String {
        switch self {
        case .unknown: "This passkey belongs to no user here. Remove it, and sign in another way."
        case .challenge:
            """
            The passkeyId is unknown, expired, used or of another request, or its challenge is not in the answer. Begin again.
            """
        case .origin: "The answer is from another page or app than PASSKEY_ORIGINS and PASSKEY_APPS permit."
        case .rp: "The answer is for another domain than PASSKEY_RP_ID."
        case .signature: "The signature is not by the key of the passkey."
        case .userVerification: "This server demands that a fingerprint, a face or a PIN verifies the user."
        case .counter: "The authenticator has counted backwards: the passkey may have been copied."
        case .malformed(let fault): "The credential is not what toJSON of a PublicKeyCredential makes: \(fault)."
        }
    }
}

/// Without characters that nginx would not write into the guard's problem document.
extension DPoPFault {
    package var explanation: String {
        switch self {
        case .missing: "This session is bound to a key. Send a proof by that key in the header DPoP."
        case .malformed: "The proof is not a DPoP proof JWT with jwk, jti, htm, htu and iat."
        case .algorithm: "The proof must be signed with ES256 or EdDSA, as its key says."
        case .signature: "The signature of the proof is not by the key in it."
        case .method: "htm of the proof is not the method of this request."
        case .url: "htu of the proof is not the address of this request."
        case .expired: "The proof is older than 60 s. Compare the clock with the Date of this answer."
        case .notYetValid: "iat of the proof is more than 60 s ahead. Compare the clock with the Date of this answer."
        case .accessToken: "ath of the proof is missing or is not the SHA-256 of the access token."
        case .nonce: "The proof needs the nonce in the header DPoP-Nonce of this answer."
        case .key: "The proof is by another key than the session. Log in again."
        case .replayed: "This proof was used before. Make a new one for each request."
        }
    }
}

/// Without characters that nginx would not write into the guard's problem document.
extension TokenKind {
    fileprivate var name: String {
        switch self {
        case .access: "an access token"
        case .refresh: "a refresh token"
        case .identity: "Apple's identity token"
        }
    }

    /// The answer that contains the right token.
    fileprivate var answer: String {
        switch self {
        case .access, .refresh: "the same answer"
        case .identity: "the login with it"
        }
    }
}
