package import Gatehouse

extension IdentityFault {
    /// For the developer whose login fails: what is wrong, then what to do. It repeats only plain names from the token.
    /// Apple's words are those of its framework and of the settings that it has of its own.
    package func explanation(by provider: Provider) -> String {
        switch (provider, self) {
        case (.apple, _): appleExplanation
        case (.phone, .code): Self.numberTokenExplanation
        default: explanation(provider.rawValue)
        }
    }

    /// Of one-tap sign-in.
    private static let numberTokenExplanation = """
        The carrier does not accept the token: it is wrong, used or expired, or was made for another app. Get a new one from the \
        library, or sign in by a code.
        """

    private var appleExplanation: String {
        switch self {
        case .malformed(let fault): fault.appleExplanation
        case .algorithm: "The identity token is not signed with RS256. \(Self.appleAdvice)"
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
        case .issuer: "The identity token was not issued by Apple: its iss is not in APPLE_ISSUER. \(Self.appleAdvice)"
        case .audience(let name):
            """
            The identity token was issued for \(name?.text ?? "another app"), which is not in APPLE_BUNDLE_ID. Add the \
            app's bundle id there, or sign in with the right app.
            """
        case .expired: "The identity token has expired. Sign in with Apple again, and send the new token."
        case .notYetValid: "The identity token was issued in the future. Correct the clock of the server."
        case .nonce(let fault): fault.appleExplanation
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

    fileprivate static let appleAdvice = "Send the token that Apple gave to the app."

    /// - Parameter name: the provider's, as the operator has configured it.
    private func explanation(_ name: String) -> String {
        switch self {
        case .malformed(let fault):
            "\(fault.sentence()) Send the token as the library of \(name) gave it to the app."
        case .algorithm:
            "The identity token is signed with an algorithm that is not in ALGORITHMS of \(name). Tell the operator."
        case .unknownKey:
            """
            \(name) publishes no key with the key id of the identity token. If it has just changed its keys, repeat in 30 \
            seconds. Otherwise sign in again.
            """
        case .signature:
            "The signature of the identity token does not match a key of \(name). Send the token as the app got it."
        case .issuer:
            "The identity token was not issued by \(name): its iss is not the configured one. Sign in with \(name)."
        case .audience(let audience):
            """
            The identity token was issued for \(audience?.text ?? "another client"), which is not in AUDIENCE of \(name). Add \
            the client id of the app there, or sign in with the right app.
            """
        case .client(let client):
            """
            The credential was issued to \(client?.text ?? "another client"), which is not one of the clients that are \
            configured for \(name). Sign in with the right app.
            """
        case .expired: "The identity token has expired, or is too old. Sign in again, and send the new one."
        case .notYetValid: "The identity token was issued in the future. Correct the clock of the server."
        case .nonce(let fault): fault.explanation(name)
        case .code:
            """
            \(name) does not accept the code: it is wrong, used or expired, or was made for another app. Get a new one from \
            \(name).
            """
        case .accessToken:
            "The access token does not belong to the identity token, or \(name) does not accept it. Sign in again."
        case .user: "The identity is not the one that the app named. Send what belongs to one authorization."
        case .claim(let claim):
            """
            The identity token does not have the value of \(claim) that \(name) is configured to require. Sign in as a user who \
            has it.
            """
        case .twoUsers:
            """
            \(name) knows this person by two ids, which belong to two users here. The operator has to decide which one is \
            right.
            """
        case .replayed:
            "The credential has been used before, and is good for one login. Sign in again, and send the new one."
        }
    }
}

extension MalformedToken {
    fileprivate var appleExplanation: String { "\(sentence(isApple: true)) \(appleAdvice)" }

    fileprivate func sentence(isApple: Bool = false) -> String {
        switch self {
        case .tooLong(let limit): "The identity token is longer than \(limit / 1024) KiB."
        case .notThreeParts: "The identity token does not have three parts separated by dots."
        case .encodedAgain: "The identity token has been encoded in base64 once more."
        case .notBase64URL(let part):
            "The \(part.name(isApple)) of the identity token is not base64url without padding."
        case .notJSON(let part): "The \(part.name(isApple)) of the identity token is not valid JSON."
        case .notAnObject(let part): "The \(part.name(isApple)) of the identity token is not a JSON object."
        case .duplicateMember(let part, let name):
            """
            The \(part.name(isApple)) of the identity token has \(name.map { "the member \($0.text)" } ?? "a member") twice.
            """
        case .unsupportedHeader(let member):
            "The header of the identity token has \(member)" + (isApple ? ", which Apple's tokens do not have." : ".")
        case .unusable(let part, let member): "The \(part.name(isApple)) of the identity token has no usable \(member)."
        case .isNotification where isApple:
            "The identity token has events: it is a notification from Apple's servers, not an identity token."
        case .isNotification: "The token has events: it is a notification of the provider, not an identity token."
        case .isNoNotification:
            "The token has no events: it is not a notification \(isApple ? "from Apple's servers" : "of the provider")."
        case .otherType where isApple:
            "The token is not an identity token: the typ of its header is that of another kind."
        case .otherType: "The typ of the header is that of another kind of token."
        }
    }

    /// Apple's framework returns bytes, which apps turn into text in several wrong ways.
    private var appleAdvice: String {
        switch self {
        case .tooLong: "Send only the identityToken that Apple gave to the app."
        case .notThreeParts:
            "Send the bytes of identityToken as text: String(decoding: identityToken, as: UTF8.self)."
        case .encodedAgain:
            """
            Send the bytes of identityToken as text: String(decoding: identityToken, as: UTF8.self), not \
            base64EncodedString().
            """
        case .notBase64URL:
            "Send the token exactly as Apple gave it to the app, without quotes, spaces or line breaks."
        case .isNotification: "Notifications go to /api/auth/apple/notifications."
        case .isNoNotification: "Logins go to /api/auth/apple."
        case .notJSON, .notAnObject, .duplicateMember, .unsupportedHeader, .unusable, .otherType:
            IdentityFault.appleAdvice
        }
    }
}

extension MalformedToken.Part {
    fileprivate func name(_ isApple: Bool) -> String { isApple && self == .claims ? "payload" : rawValue }
}

extension NonceFault {
    fileprivate var appleExplanation: String {
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

    fileprivate func explanation(_ name: String) -> String {
        switch self {
        case .notSent: "The identity token has a nonce, and the request has none. Send the nonce of the login."
        case .notInToken: "The request has a nonce, and the token has none. Pass the nonce to \(name) at the login."
        case .different, .hashInOtherForm, .swapped:
            """
            The identity token has another nonce than the request. Pass one nonce, or its SHA-256 in lowercase hexadecimal, to \
            \(name), and send that nonce itself.
            """
        case .required, .unsupportedByDevice:
            "\(name) is configured to require a nonce. Pass one at the login, and send it."
        case .challengeRequired, .notAChallenge:
            "\(name) is configured to require a nonce of POST /api/auth/challenge. Get one for each login."
        case .challengeExpired:
            "The nonce has expired. Get a new one from POST /api/auth/challenge, and sign in again."
        case .challengeUsed:
            "The nonce has been used with another token. Get a new one from POST /api/auth/challenge, and sign in again."
        }
    }
}
