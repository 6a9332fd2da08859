import Gatehouse

extension IdentityFault {
    /// - Parameter name: the provider's, as the operator has configured it.
    func providerExplanation(_ name: String) -> String {
        switch self {
        case .malformed(let fault):
            "\(fault.sentence) Send the token as the library of \(name) gave it to the app."
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
        case .nonce(let fault): fault.sentence(name)
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
    fileprivate var sentence: String {
        switch self {
        case .tooLong(let limit): "The identity token is longer than \(limit / 1024) KiB."
        case .notThreeParts: "The identity token does not have three parts separated by dots."
        case .encodedAgain: "The identity token has been encoded in base64 once more."
        case .notBase64URL(let part): "The \(part.rawValue) of the identity token is not base64url without padding."
        case .notJSON(let part): "The \(part.rawValue) of the identity token is not valid JSON."
        case .notAnObject(let part): "The \(part.rawValue) of the identity token is not a JSON object."
        case .duplicateMember(let part, let name):
            "The \(part.rawValue) of the identity token has \(name.map { "the member \($0.text)" } ?? "a member") twice."
        case .unsupportedHeader(let member): "The header of the identity token has \(member)."
        case .unusable(let part, let member): "The \(part.rawValue) of the identity token has no usable \(member)."
        case .isNotification: "The token has events: it is a notification of the provider, not an identity token."
        case .isNoNotification: "The token has no events: it is not a notification of the provider."
        case .otherType: "The typ of the header is that of another kind of token."
        }
    }
}

extension NonceFault {
    fileprivate func sentence(_ name: String) -> String {
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
