import AppleID
import JSON
import Testing

/// A nonce in the token, a nonce in the request, and whether that is a login.
struct NonceCase: CustomTestStringConvertible {
    static let nonce = "n-0S6_WzA2Mj"
    /// SHA-256 of it, as `sha256sum` prints it.
    static let hashed = "0823a09b54cb9381561068b00aaf4e539b3f54604631d3e6a820879b6b04cc19"

    let claim: JSONValue?
    let sent: String?
    let supported: JSONValue?
    let rule: IdentityTokenPolicy.NonceRule
    let isAccepted: Bool

    var testDescription: String {
        "claim \(claim?.description ?? "-"), sent \(sent ?? "-"), supported \(supported?.description ?? "-"), \(rule)"
    }

    static let all = withoutClaim + withClaim

    /// What `nonce_supported` may look like, and whether it says that the device cannot carry a nonce.
    private static let supports: [(JSONValue?, isDenied: Bool)] = [
        (.none, false), (true, false), ("true", false), (false, true), ("false", true), ("FALSE", false), (0, false),
        (.some(.null), false),
    ]

    private static let withoutClaim: [NonceCase] = [JSONValue?.none, .some(.null)].flatMap { claim in
        supports.flatMap { supported, isDenied in
            IdentityTokenPolicy.NonceRule.allCases.flatMap { rule in
                [nil, nonce].map { sent in
                    NonceCase(
                        claim: claim, sent: sent, supported: supported, rule: rule,
                        isAccepted: rule == .optional && (sent == nil || isDenied))
                }
            }
        }
    }

    /// With a claim, neither `nonce_supported` nor the rule matters.
    private static let withClaim: [NonceCase] = [
        (.string(nonce), [nonce]), (.string(hashed), [nonce, hashed]), (.string(hashed.uppercased()), []),
        ("another", ["another"]), ("", []), (7, []), ([.string(nonce)], []), (true, []),
    ].flatMap { (claim: JSONValue, fitting: [String]) in
        [nil, nonce, hashed, "another", "7", "true"].flatMap { (sent: String?) in
            [JSONValue?.none, false].flatMap { supported in
                IdentityTokenPolicy.NonceRule.allCases.map { rule in
                    NonceCase(
                        claim: claim, sent: sent, supported: supported, rule: rule,
                        isAccepted: sent.map(fitting.contains) ?? false)
                }
            }
        }
    }
}
