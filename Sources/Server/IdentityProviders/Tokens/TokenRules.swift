import Gatehouse
package import JOSE
import JSON

/// Which signed tokens of one provider this installation accepts. All of it comes from settings: a token only selects among
/// the values. One code checks the tokens of Apple, of OpenID providers and of Google's events by such rules.
package struct TokenRules: Sendable, Equatable {
    /// The accepted `iss`: one, except for providers that write it in two ways.
    package var issuers: [String]
    /// The accepted `aud`: the client ids of the operator's apps.
    package var audiences: [String]
    package var audienceList: AudienceList
    package let algorithms: [Algorithm]
    /// The accepted `typ` in lower case, besides none; nil to ignore it.
    var types: [String]?
    /// Whether the header must name a key.
    var demandsKeyID: Bool
    package var nonce: NonceRule
    package var secret: BoundSecret
    /// The largest age of a token, counted from its `iat`; nil if `exp` alone limits it.
    package var maximumAge: Duration?
    package var required: [RequiredClaim]
    package var user: UserClaims
    /// The largest accepted difference between the provider's clock and this server's.
    package var leeway: Duration

    /// Which lists of audiences are accepted. One of the elements is accepted in any case.
    package enum AudienceList: Sendable, Equatable {
        /// Only a list of one element.
        case single
        /// `azp`, if there is one, has to be an accepted audience or one of these parties, also with a single
        /// audience. A list with elements that are no accepted audience needs such an `azp`.
        case trusted([String])
        /// The other elements may be anything.
        case any
    }

    /// Whether a login must have a nonce.
    package enum NonceRule: String, Sendable, CaseIterable {
        case optional
        case required
        /// A nonce in the request must be the token's. One that is only in the token is ignored: some libraries make a nonce
        /// that their app never learns.
        case ifSent = "if-sent"
        /// A nonce that this server has issued. The same as `required` here: the domain checks who issued it.
        case challenge

        package static let ofApple: [NonceRule] = [.optional, .required, .challenge]
        package static let ofOpenID: [NonceRule] = [.required, .ifSent, .challenge]

        /// The fault of a login in which neither the token nor the request has a nonce; nil if that is accepted.
        var missing: NonceFault? {
            switch self {
            case .optional, .ifSent: nil
            case .required: .required
            case .challenge: .challengeRequired
            }
        }
    }

    /// The secret that came with a token and whose hash a claim of the token may have.
    package enum BoundSecret: Sendable, Equatable {
        /// `c_hash`, which a token has to have where both come through a browser (OpenID Connect Core 1.0, section 3.3.2.11).
        case code(demandsHash: Bool)
        /// `at_hash` (section 3.2.2.9).
        case accessToken
    }

    package var authorizedParties: [String] {
        if case .trusted(let parties) = audienceList { parties } else { [] }
    }

    /// The accepted algorithm with this name. The header only selects among those of the settings.
    func algorithm(named name: String) -> Algorithm? {
        algorithms.first { name.isIdentical(to: $0.rawValue) }
    }

    func accepts(type: String?) -> Bool {
        guard let types, let type else { return true }
        return types.contains { type.lowercased().isIdentical(to: $0) }
    }

    /// Throws for the first claim that does not have its required value.
    func checkRequired(in claims: JSONObjectReader) throws(IdentityFault) {
        for claim in required {
            guard claims[claim.name]?.setting?.isIdentical(to: claim.value) == true else { throw .claim(claim.name) }
        }
    }
}

/// A claim that must have a value, such as `hd=example.com`. `true` also stands for the boolean.
package struct RequiredClaim: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        (self.name, self.value) = (name, value)
    }
}

extension JSONValue {
    /// The value as a setting writes it: a text, `true`, `false` or a decimal number.
    fileprivate var setting: String? {
        switch self {
        case .string(let text): text
        case .bool, .integer, .number: description
        case .null, .array, .object: nil
        }
    }
}

// MARK: - The rules of providers

extension TokenRules {
    package static let appleIssuer = "https://appleid.apple.com"

    /// - Parameter audiences: bundle ids and Services IDs.
    package static func apple(
        issuers: [String] = [appleIssuer], audiences: [String], nonce: NonceRule = .optional,
        leeway: Duration = .seconds(60), demandsCodeHash: Bool = false
    ) -> TokenRules {
        TokenRules(
            issuers: issuers, audiences: audiences, audienceList: .single, algorithms: [.RS256], types: nil,
            demandsKeyID: true, nonce: nonce, secret: .code(demandsHash: demandsCodeHash), maximumAge: nil,
            required: [], user: .apple, leeway: leeway)
    }

    /// - Parameters:
    ///   - authorizedParties: the accepted `azp`, besides the audiences.
    ///   - algorithms: a published key is never a secret, so no HMAC is accepted, whatever the settings say.
    package static func openID(
        issuers: [String], audiences: [String], authorizedParties: [String] = [],
        algorithms: [Algorithm] = [.RS256, .ES256], nonce: NonceRule = .required, maximumAge: Duration = .seconds(3600),
        required: [RequiredClaim] = [], emailRule: EmailRule = .claim, leeway: Duration = .seconds(60)
    ) -> TokenRules {
        TokenRules(
            issuers: issuers, audiences: audiences, audienceList: .trusted(authorizedParties),
            algorithms: algorithms.filter { $0 != .HS256 }, types: ["jwt"], demandsKeyID: false, nonce: nonce,
            secret: .accessToken, maximumAge: maximumAge, required: required, user: .openID(emailRule), leeway: leeway)
    }

    /// The checks of a login's token, in the order in which they are made.
    package var checks: [IdentityTokenCheck] {
        [
            .form, .algorithm, .keyID, types.map { _ in .type }, .claims, .subject, .issuer, .audience,
            audienceList == .single ? nil : .authorizedParty, .times, maximumAge.map { _ in .requiredClaims }, .key,
            .signature, .nonce, secret == .accessToken ? .accessToken : .code, user == .apple ? .user : nil,
        ].compactMap(\.self)
    }
}
