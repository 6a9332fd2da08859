import IdentityProviders
import JSON
import Testing

/// A nonce in the token, a nonce in the request, and whether the login is accepted.
struct NonceCase: CustomTestStringConvertible {
    static let nonce = "n-0S6_WzA2Mj"
    /// The SHA-256 of the nonce, as `sha256sum` prints it.
    static let hashed = "0823a09b54cb9381561068b00aaf4e539b3f54604631d3e6a820879b6b04cc19"

    let claim: JSONValue?
    let sent: String?
    let supported: JSONValue?
    let rule: TokenRules.NonceRule
    let isAccepted: Bool

    var testDescription: String {
        "claim \(claim?.description ?? "-"), sent \(sent ?? "-"), supported \(supported?.description ?? "-"), \(rule)"
    }

    static let all = withoutClaim + withClaim

    /// Values of `nonce_supported`, and whether they mean that the device does not support nonces.
    private static let supports: [(JSONValue?, isDenied: Bool)] = [
        (.none, false), (true, false), ("true", false), (false, true), ("false", true), ("FALSE", false), (0, false),
        (.some(.null), false),
    ]

    private static let withoutClaim: [NonceCase] = [JSONValue?.none, .some(.null)].flatMap { claim in
        supports.flatMap { supported, isDenied in
            TokenRules.NonceRule.ofApple.flatMap { rule in
                [nil, nonce].map { sent in
                    NonceCase(
                        claim: claim, sent: sent, supported: supported, rule: rule,
                        isAccepted: rule == .optional && (sent == nil || isDenied))
                }
            }
        }
    }

    /// If the token has a nonce, neither `nonce_supported` nor the rule matters.
    private static let withClaim: [NonceCase] = [
        (.string(nonce), [nonce]), (.string(hashed), [nonce, hashed]), (.string(hashed.uppercased()), []),
        ("another", ["another"]), ("", []), (7, []), ([.string(nonce)], []), (true, []),
    ].flatMap { (claim: JSONValue, fitting: [String]) in
        [nil, nonce, hashed, "another", "7", "true"].flatMap { (sent: String?) in
            [JSONValue?.none, false].flatMap { supported in
                TokenRules.NonceRule.ofApple.map { rule in
                    NonceCase(
                        claim: claim, sent: sent, supported: supported, rule: rule,
                        isAccepted: sent.map(fitting.contains) ?? false)
                }
            }
        }
    }
}
