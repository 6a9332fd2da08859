package import Gatehouse

extension IdentityFault {
    /// For the developer whose login fails: what is wrong, then what to do. It repeats only plain names from the token.
    package func explanation(by provider: Provider) -> String {
        provider == .apple ? appleExplanation : providerExplanation(provider.rawValue)
    }

    private var appleExplanation: String {
        switch self {
        case .malformed(let fault): fault.explanation
        case .algorithm: "The identity token is not signed with RS256. \(Self.advice)"
        case .unknownKey:
            """
            Apple publishes no key with the key id of the identity token. If Apple has just changed its \
            keys, repeat in 30 seconds. Otherwise sign in with Apple again, and compare APPLE_JWKS_URL with the token's \
            issuer.
            """
        case .signature:
            """
            The signature of the identity token does not match Apple's key. Send the token exactly as Apple gave it to the \
            app.
            """
        case .issuer: "The identity token was not issued by Apple: its iss is not in APPLE_ISSUER. \(Self.advice)"
        case .audience(let name):
            """
            The identity token was issued for \(name?.text ?? "another app"), which is not in APPLE_BUNDLE_ID. Add the \
            app's bundle id there, or sign in with the right app.
            """
        case .expired: "The identity token has expired. Sign in with Apple again, and send the new token."
        case .notYetValid: "The identity token was issued in the future. Correct the clock of the server."
        case .nonce(let fault): fault.explanation
        case .code, .accessToken, .client:
            "The authorizationCode does not belong to the token. Send both from the same authorization."
        case .user, .claim, .twoUsers:
            "The userIdentifier is not the subject of the identity token. Send both from the same authorization."
        case .replayed:
            """
            The identity token has been used before, and a token is good for one login. Sign in with Apple again, and send the \
            new token.
            """
        }
    }

    fileprivate static let advice = "Send the token that Apple gave to the app."
}

extension MalformedToken {
    fileprivate var explanation: String {
        switch self {
        case .tooLong(let limit):
            "The identity token is longer than \(limit / 1024) KiB. Send only the identityToken that Apple gave to the app."
        case .notThreeParts:
            """
            The identity token does not have three parts separated by dots. Send the bytes of identityToken as text: \
            String(decoding: identityToken, as: UTF8.self).
            """
        case .encodedAgain:
            """
            The identity token has been encoded in base64 once more. Send the bytes of identityToken as text: String(decoding: \
            identityToken, as: UTF8.self), not base64EncodedString().
            """
        case .notBase64URL(let part):
            """
            The \(part.name) of the identity token is not base64url without padding. Send the token exactly as Apple gave it to \
            the app, without quotes, spaces or line breaks.
            """
        case .notJSON(let part): "The \(part.name) of the identity token is not valid JSON. \(Self.advice)"
        case .notAnObject(let part): "The \(part.name) of the identity token is not a JSON object. \(Self.advice)"
        case .duplicateMember(let part, let name):
            """
            The \(part.name) of the identity token has \(name.map { "the member \($0.text)" } ?? "a member") twice. \
            \(Self.advice)
            """
        case .unsupportedHeader(let member):
            "The header of the identity token has \(member), which Apple's tokens do not have. \(Self.advice)"
        case .unusable(let part, let member):
            "The \(part.name) of the identity token has no usable \(member). \(Self.advice)"
        case .isNotification:
            """
            The identity token has events: it is a notification from Apple's servers, not an identity token. Notifications go \
            to /api/auth/apple/notifications.
            """
        case .otherType:
            "The token is not an identity token: the typ of its header is that of another kind. \(Self.advice)"
        case .isNoNotification:
            "The token has no events: it is not a notification from Apple's servers. Logins go to /api/auth/apple."
        }
    }

    private static let advice = IdentityFault.advice
}

extension MalformedToken.Part {
    fileprivate var name: String {
        switch self {
        case .header: "header"
        case .claims: "payload"
        case .signature: "signature"
        }
    }
}

extension NonceFault {
    fileprivate var explanation: String {
        switch self {
        case .notSent:
            """
            The identity token has a nonce, and the request has none. Send as nonce the text whose SHA-256 the app passed \
            to Apple.
            """
        case .notInToken:
            """
            The request has a nonce, and the token has none. Set request.nonce to its SHA-256 in lowercase hexadecimal \
            before the authorization is performed.
            """
        case .different:
            """
            The identity token has another nonce than the request. Pass the SHA-256 of one nonce to Apple in lowercase \
            hexadecimal, and send that nonce itself with the token of the same authorization.
            """
        case .hashInOtherForm:
            """
            The identity token has the SHA-256 of the request's nonce in another form. Set request.nonce to the SHA-256 in \
            lowercase hexadecimal.
            """
        case .swapped:
            """
            The request has the SHA-256 of the identity token's nonce. Do it the other way round: pass the SHA-256 to Apple, \
            and send the nonce itself.
            """
        case .required:
            """
            This installation requires a nonce (APPLE_NONCE), and the login has none. Pass the SHA-256 of a nonce to \
            Apple, and send the nonce itself.
            """
        case .challengeRequired:
            """
            This installation requires a nonce of POST /api/auth/challenge, and the request has none. Get one \
            for each login, pass its SHA-256 to Apple, and send the nonce itself.
            """
        case .notAChallenge:
            """
            This installation requires a nonce of POST /api/auth/challenge, and the request has another one. Get \
            one for each login, pass its SHA-256 to Apple, and send the nonce itself.
            """
        case .challengeExpired:
            """
            The nonce has expired: it is valid for \(Challenge.lifetime.wholeSeconds / 60) minutes. Get a \
            new one from POST /api/auth/challenge, and sign in with Apple again.
            """
        case .challengeUsed:
            """
            The nonce has been used with another token, and it is good for one login. Get a new one from POST \
            /api/auth/challenge, and sign in with Apple again.
            """
        case .unsupportedByDevice:
            """
            The device does not support nonces (nonce_supported is false), and this installation requires one \
            (APPLE_NONCE). The user needs another device, or the installation another setting.
            """
        }
    }
}
