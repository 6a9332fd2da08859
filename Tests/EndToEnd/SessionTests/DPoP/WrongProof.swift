import JSON
import Testing

@testable import ServerSupport

/// A proof that is refused: how it differs from a right one, and why it is refused.
struct WrongProof: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    /// Of the key, if the fault is not that of any key.
    var keyType: String?
    let change: @Sendable (inout ProofOrder) throws -> Void

    init(
        _ name: String, _ reason: String, key: String? = nil,
        _ change: @escaping @Sendable (inout ProofOrder) throws -> Void
    ) {
        (testDescription, self.reason, keyType, self.change) = (name, reason, key, change)
    }

    static let all = header + algorithms + keys + signatures + claims + times + methods + urls + structure
}

/// What the maker knows of a key.
private func made(_ key: String) throws -> MadeProof {
    try ProofMaker.shared.get().make(ProofOrder(key, "GET", "https://localhost/"))
}

/// A key of another type, of no session.
private func useKey(_ type: String, in order: inout ProofOrder) { order.key = "nobody:" + type }

extension WrongProof {
    private static let header =
        (["JWT", "at+jwt", "rt+jwt", "", 7, nil] as [JSONValue]).map { type in
            WrongProof("typ \(type)", "malformed") { $0.header["typ"] = type }
        } + [
            WrongProof("no typ", "malformed") { $0.without = ["header.typ"] },
            WrongProof("crit", "malformed") { order in
                order.header["crit"] = ["b64"]
                order.header["b64"] = true
            },
            WrongProof("crit of a known claim", "malformed") { $0.header["crit"] = ["typ"] },
        ]

    private static let algorithms = [
        WrongProof("alg none, without a signature", "algorithm") { order in
            order.header["alg"] = "none"
            order.signature = "none"
        },
        WrongProof("alg None, with a signature", "algorithm") { $0.header["alg"] = "None" },
        WrongProof("no alg", "malformed") { $0.without = ["header.alg"] },
        WrongProof("alg is a list", "malformed") { $0.header["alg"] = ["ES256"] },
        WrongProof("HS256 with the public key as the secret", "algorithm", key: "P-256") { order in
            order.header["alg"] = "HS256"
            order.algorithm = "HS256"
            order.secret = String(decoding: try made(order.key).publicKey.bytes, as: UTF8.self)
        },
        WrongProof("HS256 with a secret in the header", "algorithm", key: "P-256") { order in
            order.header["alg"] = "HS256"
            order.header["jwk"] = ["kty": "oct", "k": "c2VjcmV0"]
            order.algorithm = "HS256"
            order.secret = "secret"
        },
        WrongProof("RS256", "algorithm") { useKey("RSA", in: &$0) },
        WrongProof("ES384", "algorithm") { useKey("P-384", in: &$0) },
        WrongProof("ES256K", "algorithm") { useKey("secp256k1", in: &$0) },
        WrongProof("EdDSA of a P-256 key", "algorithm", key: "P-256") { $0.header["alg"] = "EdDSA" },
        WrongProof("ES256 of an Ed25519 key", "algorithm", key: "Ed25519") { $0.header["alg"] = "ES256" },
    ]

    private static func jwk(
        _ name: String, _ reason: String = "malformed", _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> WrongProof {
        WrongProof("jwk: \(name)", reason, key: "P-256") { order in
            var key = try made(order.key).publicKey
            change(&key)
            order.header["jwk"] = .object(key)
        }
    }

    private static let keys = [
        WrongProof("no jwk", "malformed") { $0.without = ["header.jwk"] },
        WrongProof("jwk null", "malformed") { $0.header["jwk"] = .some(.null) },
        WrongProof("jwk is a text", "malformed") { $0.header["jwk"] = "key" },
        WrongProof("jwk with the private part", "malformed", key: "P-256") { order in
            order.header["jwk"] = .object(try made(order.key).privateKey)
        },
        WrongProof("jwk with the private part, Ed25519", "malformed", key: "Ed25519") { order in
            order.header["jwk"] = .object(try made(order.key).privateKey)
        },
        WrongProof("jwk of another name than the header's", "malformed") { $0.header["kid"] = "other" },
        jwk("of another curve") { $0["crv"] = "P-384" },
        jwk("of the curve of another type") { $0["crv"] = "Ed25519" },
        jwk("of another type") { $0["kty"] = "OKP" },
        jwk("without a type") { $0["kty"] = nil },
        jwk("without a curve") { $0["crv"] = nil },
        jwk("without y") { $0["y"] = nil },
        jwk("not on the curve") { $0["y"] = $0["x"] },
        jwk("zero") { key in
            key["x"] = .string(String(repeating: "A", count: 43))
            key["y"] = key["x"]
        },
        jwk("x that is short") { $0["x"] = "AQAB" },
        jwk("x that is not base64url") { $0["x"] = "+/==" },
        jwk("x that is a number") { $0["x"] = 7 },
    ]

    private static let signatures =
        ["flipped", "zero", "other"].map { (kind: String) in
            WrongProof("signature \(kind)", "signature") { $0.signature = kind }
        } + [
            WrongProof("no signature", "signature") { $0.signature = "none" },
            WrongProof("signature that is short", "signature") { $0.signature = "short" },
            WrongProof("signature in DER", "signature", key: "P-256") { $0.signature = "der" },
        ]
}

// MARK: - Claims

extension WrongProof {
    private static func claim(_ name: String, _ values: [JSONValue], _ reason: String = "malformed") -> [WrongProof] {
        values.map { value in WrongProof("\(name) \(value)", reason) { $0.claims[name] = value } }
    }

    private static let claims =
        ["jti", "htm", "htu", "iat"].map { name in
            WrongProof("no \(name)", "malformed") { $0.without = [name] }
        }
        + claim("jti", ["", .string(String(repeating: "x", count: 257)), 7, nil, true, ["x"]])
        + claim("htm", [7, nil, ["POST"]]) + claim("htu", [7, nil, ["x"]])
        + claim("iat", ["1764061200", nil, true, -1, 1e300, ["x"]])
        + claim("ath", [7, nil, "x", "+/=="]) + claim("nonce", [7, nil])

    private static let times =
        // A proof from the future comes closer until it is read, so it begins further away.
        ([(65, 90), (3600, 3600), (86_400 * 365, 86_400 * 365)] as [(Int64, Int64)]).flatMap { past, future in
            [
                WrongProof("\(past) s old", "expired") { $0.age = past },
                WrongProof("\(future) s from the future", "not_yet_valid") { $0.age = -future },
            ]
        } + [WrongProof("in milliseconds", "malformed") { $0.claims["iat"] = 1_764_061_200_000 }]

    private static let methods =
        claim("htm", ["post", "GET", "PATCH", "POST ", ""], "method")

    private static func url(_ name: String, _ change: @escaping @Sendable (String) -> String) -> WrongProof {
        WrongProof("htu: \(name)", "url") { $0.claims["htu"] = .string(change($0.url)) }
    }

    private static let urls = [
        url("other host") { $0.replacing("://", with: "://other.") },
        url("other path") { $0.replacing("/refresh", with: "/logout") },
        url("plain HTTP") { $0.replacing("https://", with: "http://") },
        url("other port") { $0.replacing("/api/", with: ":444/api/") },
        url("relative") { _ in "/api/auth/refresh" },
    ]

    private static func texts(_ name: String, _ header: String, _ claims: @escaping @Sendable (ProofOrder) -> String)
        -> WrongProof
    {
        WrongProof(name, "malformed", key: "P-256") { $0.texts = [header, claims($0)] }
    }

    private static let rightHeader = #"{"typ":"dpop+jwt","alg":"ES256","jwk":@JWK@}"#

    private static func claims(of order: ProofOrder, _ more: String) -> String {
        #"{"jti":"\#(order.key)","htm":"\#(order.method)","htu":"\#(order.url)",\#(more)}"#
    }

    private static let structure = [
        texts("jti twice", rightHeader) { claims(of: $0, #""iat":@NOW@,"jti":"x""#) },
        texts("iat twice", rightHeader) { claims(of: $0, #""iat":1,"iat":@NOW@"#) },
        texts("alg twice", #"{"typ":"dpop+jwt","alg":"none","alg":"ES256","jwk":@JWK@}"#) {
            claims(of: $0, #""iat":@NOW@"#)
        },
        texts("jwk twice", #"{"typ":"dpop+jwt","alg":"ES256","jwk":@JWK@,"jwk":@JWK@}"#) {
            claims(of: $0, #""iat":@NOW@"#)
        },
        texts("header is a list", #"["dpop+jwt"]"#) { claims(of: $0, #""iat":@NOW@"#) },
        texts("header is not JSON", "{") { claims(of: $0, #""iat":@NOW@"#) },
        texts("claims are a list", rightHeader) { _ in "[]" },
        texts("claims are not JSON", rightHeader) { _ in "{" },
        texts("no claims", rightHeader) { _ in "" },
        WrongProof("longer than a header field may be", "malformed") { order in
            order.claims["more"] = .string(String(repeating: "x", count: 5000))
        },
    ]
}
