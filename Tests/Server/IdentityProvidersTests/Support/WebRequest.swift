import Gatehouse

/// What Gatehouse has asked a provider through a browser.
enum WebRequest {
    static let callback = "https://api.example.com/api/auth/acme/callback"
    /// The verifier and the challenge of RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let nonce = "the-nonce"
    static let sent = ProviderRequest(state: "the state", nonce: nonce, codeVerifier: verifier, callback: callback)

    /// A code and its `c_hash`, and an access token and its `at_hash`, of OpenID Connect Core 1.0, appendix A.
    static let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
    static let codeHash = "LDktKdoQak3Pk0cnXxCltA"
    static let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
    static let accessTokenHash = "77QmUPtjPfzWtF2AnpK9RQ"
}
