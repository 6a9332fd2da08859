/// What is wrong, by the server's `code`. Codes of later servers are ``other(_:)``.
public enum ProblemCode: Hashable, Sendable {
    // Requests
    case invalidJSON, invalidRequest, notFound, methodNotAllowed, payloadTooLarge, unsupportedMediaType
    // Logins
    case invalidAppleToken, invalidDevSecret, devLoginDisabled, loginTooOld
    // Access tokens
    case invalidAccessToken, accessTokenExpired, sessionRevoked, insufficientRole
    // Refresh tokens
    case invalidRefreshToken, refreshTokenExpired, refreshTokenRevoked, refreshTokenReused
    // Users and accounts
    case userDisabled, accountAlreadyLinked, lastAccount
    // The server
    case appleKeysUnavailable, storageUnavailable, notReady, internalError
    // nginx
    case tooManyRequests, badGateway, serviceUnavailable, gatewayTimeout, httpsRequired, badRequest, forbidden
    case requestTimeout, lengthRequired, preconditionFailed, uriTooLong, rangeNotSatisfiable, misdirectedRequest
    case headersTooLarge, notImplemented, httpVersionNotSupported, insufficientStorage, error
    case other(String)
}

extension ProblemCode: CustomStringConvertible {
    /// - Parameter code: as the server sends it, such as `session_revoked`.
    public init(_ code: String) {
        self = Self.known[code] ?? .other(code)
    }

    /// The code as the server sends it.
    public var description: String {
        if case .other(let code) = self { return code }
        return Self.codes[self] ?? ""
    }

    private static let codes = [ProblemCode: String](uniqueKeysWithValues: known.map { ($1, $0) })

    private static let known: [String: ProblemCode] = [
        "invalid_json": .invalidJSON, "invalid_request": .invalidRequest, "not_found": .notFound,
        "method_not_allowed": .methodNotAllowed, "payload_too_large": .payloadTooLarge,
        "unsupported_media_type": .unsupportedMediaType, "invalid_apple_token": .invalidAppleToken,
        "invalid_dev_secret": .invalidDevSecret, "dev_login_disabled": .devLoginDisabled,
        "login_too_old": .loginTooOld, "invalid_access_token": .invalidAccessToken,
        "access_token_expired": .accessTokenExpired, "session_revoked": .sessionRevoked,
        "insufficient_role": .insufficientRole, "invalid_refresh_token": .invalidRefreshToken,
        "refresh_token_expired": .refreshTokenExpired, "refresh_token_revoked": .refreshTokenRevoked,
        "refresh_token_reused": .refreshTokenReused, "user_disabled": .userDisabled,
        "account_already_linked": .accountAlreadyLinked, "last_account": .lastAccount,
        "apple_keys_unavailable": .appleKeysUnavailable,
        "storage_unavailable": .storageUnavailable,
        "not_ready": .notReady, "internal_error": .internalError, "too_many_requests": .tooManyRequests,
        "bad_gateway": .badGateway, "service_unavailable": .serviceUnavailable, "gateway_timeout": .gatewayTimeout,
        "https_required": .httpsRequired, "bad_request": .badRequest, "forbidden": .forbidden,
        "request_timeout": .requestTimeout, "length_required": .lengthRequired,
        "precondition_failed": .preconditionFailed, "uri_too_long": .uriTooLong,
        "range_not_satisfiable": .rangeNotSatisfiable, "misdirected_request": .misdirectedRequest,
        "headers_too_large": .headersTooLarge, "not_implemented": .notImplemented,
        "http_version_not_supported": .httpVersionNotSupported, "insufficient_storage": .insufficientStorage,
        "error": .error,
    ]
}

// No cases, so that a switch of an app over all cases stays complete.
extension ProblemCode {
    /// The server refuses the proof of a bound session. See ``Problem/proofReason``.
    public static let invalidDPoPProof = ProblemCode.other("invalid_dpop_proof")

    /// The provider, or the server, refuses what the app sent for a login. See ``Problem/reason``.
    public static let invalidIdentity = ProblemCode.other("invalid_identity")

    /// The provider does not answer the server, with status 503. A code that was sent cannot be sent again: get a new
    /// one from the provider for the next attempt.
    public static let providerUnavailable = ProblemCode.other("provider_unavailable")

    /// The operator has configured no provider of this name.
    public static let unknownProvider = ProblemCode.other("unknown_provider")

    /// For administrators: an act has no reason.
    public static let reasonRequired = ProblemCode.other("reason_required")

    /// For administrators: the act is on the administrator's own account, which the server refuses.
    public static let ownAccount = ProblemCode.other("own_account")

    /// For administrators: two users cannot be merged, or not be separated again. See ``Problem/reason``.
    public static let mergeConflict = ProblemCode.other("merge_conflict")

    /// For administrators: there is no merge that can be undone.
    public static let notMerged = ProblemCode.other("not_merged")

    /// The code is wrong, expired or used, or was tried too often. The server does not say which: request a new one after
    /// some tries.
    public static let invalidCode = ProblemCode.other("invalid_code")

    /// No code is sent now, with status 429: to this number or address, from this network, or to any. See
    /// ``GatehouseError/retryAfter``.
    public static let tooManyCodes = ProblemCode.other("too_many_codes")

    /// Numbers of this country, or of this kind, are not served, with status 422.
    public static let countryNotServed = ProblemCode.other("country_not_served")

    /// The message was not accepted for delivery, with status 503. The user may try again.
    public static let deliveryUnavailable = ProblemCode.other("delivery_unavailable")

    /// The account of this number was not used for so long that the number may have a new owner, with status 403. The user
    /// has to sign in another way.
    public static let staleNumber = ProblemCode.other("stale_number")

    /// The server does not accept the code of a sign-in in a browser, with status 400: it was used, has expired, or belongs to
    /// another sign-in. Sign in again.
    public static let invalidGrant = ProblemCode.other("invalid_grant")

    /// A browser came back to the server with a sign-in that the server does not know or that another browser began, with
    /// status 400. The page in the browser says so; no app gets it.
    public static let invalidState = ProblemCode.other("invalid_state")

    /// The address to which the browser is to be sent back is not one of the server's `REDIRECT_URIS`, with status 400. The
    /// page in the browser says so; no app gets it.
    public static let invalidRedirectURI = ProblemCode.other("invalid_redirect_uri")

    /// A page of an origin that the server does not know may not use the session in the browser's cookie, with status 403.
    public static let originNotAllowed = ProblemCode.other("origin_not_allowed")

    /// The server refuses what a passkey has answered. The reason is ``ProblemReason/unknown`` for a passkey that it does not
    /// have, ``ProblemReason/challenge`` for an answer that came too late, or another check.
    public static let invalidPasskey = ProblemCode.other("invalid_passkey")

    /// The user has as many passkeys as the server allows, with status 409.
    public static let tooManyPasskeys = ProblemCode.other("too_many_passkeys")

    /// The user has to bind a phone number first, with status 403. See
    /// ``GatehouseClient/bindPhone(code:for:onTaken:replacing:)``.
    public static let phoneRequired = ProblemCode.other("phone_required")

    /// The request is not for guests, with status 403. See ``GatehouseClient/link(_:onTaken:)``.
    public static let guest = ProblemCode.other("guest")

    /// No more guests are made from this network now, with status 429. See ``GatehouseError/retryAfter``.
    public static let tooManyGuests = ProblemCode.other("too_many_guests")

    /// For administrators: the user is a guest, who gets no role.
    public static let userIsGuest = ProblemCode.other("user_is_guest")

    /// The request needs a stronger login than the session's, with status 401: sign in again with a passkey. A refresh does not
    /// help.
    public static let insufficientAuthentication = ProblemCode.other("insufficient_authentication")

    /// Not of the server: the key of the session is gone. See ``SignOutReason/deviceKeyLost``.
    public static let deviceKeyLost = ProblemCode.other("device_key_lost")
}

extension ProblemCode: Decodable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// The server refuses a refresh with one of these when the session has ended. No other answer ends it here: a proxy
    /// or a captive portal may also answer 401 or 403.
    var endsSession: Bool {
        switch self {
        case .invalidRefreshToken, .refreshTokenExpired, .refreshTokenRevoked, .refreshTokenReused, .userDisabled: true
        default: false
        }
    }
}
