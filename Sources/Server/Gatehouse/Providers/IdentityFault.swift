/// Why the credential of a login was refused.
///
/// Its reason accompanies `invalid_apple_token` and `invalid_identity`. Metrics, the log and the audit trail record only the
/// reason. The cause, which some reasons have, appears only in the answer and tells the developer what to change.
package enum IdentityFault: Error, Sendable, Equatable {
    case malformed(MalformedToken)
    case algorithm
    case unknownKey
    case signature
    case issuer
    /// With the audience of the token, if it is a plain name.
    case audience(PlainName?)
    case expired
    case notYetValid
    case nonce(NonceFault)
    /// The code does not belong to the token, or the provider does not accept it.
    case code
    /// The access token does not belong to the identity token, or the provider does not accept it.
    case accessToken
    /// With the client to which the credential was issued, if it is a plain name.
    case client(PlainName?)
    case user
    /// The claim does not have the value that the provider's settings require.
    case claim(String)
    /// The provider's subjects belong to two users.
    case twoUsers
    case replayed

    /// The `reason` in an answer.
    package enum Reason: String, Sendable, CaseIterable {
        case malformed
        case algorithm
        case unknownKey = "unknown_key"
        case signature
        case issuer
        case audience
        case expired
        case notYetValid = "not_yet_valid"
        case nonce
        case code
        case client
        case user
        case replayed
    }

    package var reason: Reason {
        switch self {
        case .malformed: .malformed
        case .algorithm: .algorithm
        case .unknownKey: .unknownKey
        case .signature: .signature
        case .issuer: .issuer
        case .audience: .audience
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .nonce: .nonce
        case .code, .accessToken: .code
        case .client: .client
        case .user, .claim, .twoUsers: .user
        case .replayed: .replayed
        }
    }

    /// One fault of each reason.
    package static let all: [IdentityFault] = [
        .malformed(.notThreeParts), .algorithm, .unknownKey, .signature, .issuer, .audience(nil), .expired,
        .notYetValid, .nonce(.different), .code, .client(nil), .user, .replayed,
    ]
}

/// What is wrong with the form of a token.
package enum MalformedToken: Sendable, Equatable {
    case tooLong(limit: Int)
    case notThreeParts
    /// The text is the base64 of a token: the app has encoded the token once more.
    case encodedAgain
    case notBase64URL(Part)
    case notJSON(Part)
    case notAnObject(Part)
    /// With the name that occurs twice, if it is a plain name.
    case duplicateMember(Part, PlainName?)
    /// The header has a member that providers' tokens do not have and that changes how a token is read.
    case unsupportedHeader(member: String)
    /// A member is missing or has an unusable value.
    case unusable(Part, member: String)
    /// A notification from a provider's servers where an identity token is expected.
    case isNotification
    /// An identity token where a notification is expected.
    case isNoNotification
    /// The header's `typ` is that of another kind of token.
    case otherType

    package enum Part: String, Sendable {
        case header
        case claims
        case signature
    }
}

/// Why the nonces of the token and of the request do not permit a login.
package enum NonceFault: Sendable, Equatable, CaseIterable {
    /// The token has one, and the request has none.
    case notSent
    /// The request has one, and the token has none.
    case notInToken
    case different
    /// The token has the hash of the request's nonce in another form than lowercase hexadecimal.
    case hashInOtherForm
    /// The request has the hash of the token's nonce.
    case swapped
    /// Neither has one, and the configuration requires a nonce.
    case required
    /// The configuration requires one of Gatehouse's own nonces, and the request has none.
    case challengeRequired
    /// The configuration requires one of Gatehouse's own nonces, and the request has another one.
    case notAChallenge
    case challengeExpired
    /// The challenge was used with another token.
    case challengeUsed
    /// The device does not support nonces, and the configuration requires one.
    case unsupportedByDevice
}
