import Gatehouse
import JOSE
import JSON

/// The rules for the signed tokens of one provider. One code checks all tokens by such rules, which follow from the settings
/// of Apple or of an OpenID provider.
struct TokenRules: Sendable {
    let issuers: [String]
    let audiences: [String]
    let audienceList: AudienceList
    /// The largest accepted difference between the provider's clock and this server's.
    let leeway: Duration
    let algorithms: [Algorithm]
    /// The accepted `typ` in lower case, besides none; nil to ignore it.
    let types: [String]?
    /// Whether the header must name a key.
    let demandsKeyID: Bool
    let nonce: NonceDemand
    /// Whether a token that comes with a code must have `c_hash`.
    let demandsCodeHash: Bool
    /// The rules that only identity tokens of OpenID providers have; nil for others.
    let openID: OpenIDPolicy?

    /// Which lists of audiences are accepted. One of the elements is accepted in any case.
    enum AudienceList: Sendable {
        /// Only a list of one element.
        case single
        /// `azp`, if there is one, has to be an accepted audience or one of these parties, also with a single
        /// audience. A list with elements that are no accepted audience needs such an `azp`.
        case trusted([String])
        /// The other elements may be anything.
        case any
    }

    /// The accepted algorithm with this name. The header only selects among those of the settings.
    func algorithm(named name: String) -> Algorithm? {
        algorithms.first { name.isIdentical(to: $0.rawValue) }
    }

    func accepts(type: String?) -> Bool {
        guard let types, let type else { return true }
        return types.contains { type.lowercased().isIdentical(to: $0) }
    }

    /// The usable `sub` of a token.
    func subject(in claims: JSONObjectReader) -> String? {
        openID == nil ? claims["sub"]?.identifier : claims["sub"]?.plainText(atMost: Self.longestSubject)
    }

    /// OpenID Connect Core 1.0, section 2.
    private static let longestSubject = 255
}

/// What a login has to say about its nonce.
struct NonceDemand: Sendable {
    /// The fault of a login in which neither the token nor the request has a nonce; nil if that is accepted.
    let missing: NonceFault?
    /// Whether a nonce is ignored that only the token has.
    let ignoresUnsent: Bool
    /// Whether a token can say that its device does not support nonces.
    let isDeniedByDevices: Bool

    /// Whether it must be a nonce that this server has issued.
    var isChallenge: Bool { missing == .challengeRequired }
}

extension IdentityTokenPolicy {
    private static let algorithms: [Algorithm] = [.RS256]

    var rules: TokenRules {
        TokenRules(
            issuers: issuers, audiences: audiences, audienceList: .single, leeway: leeway,
            algorithms: Self.algorithms, types: nil, demandsKeyID: true, nonce: nonce.demand,
            demandsCodeHash: demandsCodeHash, openID: nil)
    }
}

extension IdentityTokenPolicy.NonceRule {
    fileprivate var demand: NonceDemand {
        let missing: NonceFault? =
            switch self {
            case .optional: nil
            case .required: .required
            case .challenge: .challengeRequired
            }
        return NonceDemand(missing: missing, ignoresUnsent: false, isDeniedByDevices: true)
    }
}

extension OpenIDPolicy {
    private static let types = ["jwt"]

    var rules: TokenRules {
        TokenRules(
            issuers: issuers, audiences: audiences, audienceList: .trusted(authorizedParties), leeway: leeway,
            algorithms: publicKeyAlgorithms, types: Self.types, demandsKeyID: false, nonce: nonce.demand,
            demandsCodeHash: false, openID: self)
    }

    /// A published key is never a secret, so no HMAC is accepted, whatever the settings say.
    private var publicKeyAlgorithms: [Algorithm] { algorithms.filter { $0 != .HS256 } }
}

extension OpenIDPolicy.NonceRule {
    fileprivate var demand: NonceDemand {
        switch self {
        case .required: NonceDemand(missing: .required, ignoresUnsent: false, isDeniedByDevices: false)
        case .ifSent: NonceDemand(missing: nil, ignoresUnsent: true, isDeniedByDevices: false)
        case .challenge: NonceDemand(missing: .challengeRequired, ignoresUnsent: false, isDeniedByDevices: false)
        }
    }
}
