import Foundation
import JOSE
import JSON

extension ForgeryTable {
    static let all = [
        members, duplicates, algorithms, issuers, audiences, times, requests, signatures, unknownKeys, forms, documents,
        sizes,
    ]

    /// What a member can be in place of what it should be.
    private static let oddities: [(name: String, value: JSONValue?)] = [
        ("missing", nil), ("null", .null), ("false", false), ("true", true), ("a number", 7), ("a fraction", 1.5),
        ("negative", -1), ("empty", ""), ("a list", []), ("a list of nothing", [.null]), ("an object", [:]),
        ("huge", .string(String(repeating: "h", count: 3000))),
    ]

    private static let members = ForgeryTable(name: "a member of another kind") { (shop: Workshop) throws -> [Row] in
        func odd(_ kind: String, _ member: String, _ reason: String, but: [String] = []) -> [Row] {
            oddities.filter { !but.contains($0.name) }.map { oddity in
                let token =
                    kind == "header"
                    ? shop.with(header: member, oddity.value) : shop.with(claim: member, oddity.value)
                return shop.row("\(kind) \(member) \(oddity.name)", reason, token)
            }
        }
        let present = ["missing"]
        let numbers = ["a number", "a fraction", "negative"]
        let rows: [[Row]] = [
            odd("header", "alg", "malformed", but: ["empty", "huge"]),
            odd("header", "kid", "malformed"),
            odd("header", "typ", "malformed", but: ["missing", "empty", "huge"]),
            odd("header", "crit", "malformed", but: present),
            odd("header", "b64", "malformed", but: present),
            odd("header", "zip", "malformed", but: present),
            odd("claim", "events", "malformed", but: present),
            odd("claim", "sub", "malformed"),
            odd("claim", "iss", "issuer"),
            odd("claim", "aud", "audience"),
            odd("claim", "iat", "malformed", but: numbers),
            odd("claim", "exp", "malformed", but: numbers),
            odd("claim", "nbf", "malformed", but: present + numbers),
            odd("claim", "nonce", "nonce"),
            odd("claim", "c_hash", "code", but: ["missing", "null"]),
        ]
        return rows.flatMap { $0 }
    }

    private static let duplicates = ForgeryTable(name: "a member that comes twice") {
        (shop: Workshop) throws -> [Row] in
        func twice(_ object: JSONObject, _ seal: (String) -> String) -> [Row] {
            var rows: [Row] = []
            let inner = object.description.dropFirst().dropLast()
            for (name, value) in object.members {
                let escaped = "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
                for spelling in [name, escaped] {
                    for other in [value, "another", .null] {
                        let member = "\"\(spelling)\":\(other)"
                        rows.append(shop.row("\(member) behind", "malformed", seal("{\(inner),\(member)}")))
                        rows.append(shop.row("\(member) before", "malformed", seal("{\(member),\(inner)}")))
                    }
                }
            }
            return rows
        }
        return twice(shop.header) { shop.sealed(header: $0) } + twice(shop.claims) { shop.sealed(payload: $0) }
    }

    private static let algorithms = ForgeryTable(name: "another algorithm") { (shop: Workshop) throws -> [Row] in
        let jwk = shop.key.publicJWK ?? [:]
        let secrets = [jwk.bytes, Base64URL.decode(jwk["n"]?.string ?? "") ?? [], FakeAppleStand.document(of: [jwk])]
        let names = [
            "none", "None", "nOnE", "NONE", "", "HS256", "HS384", "HS512", "RS384", "RS512", "PS256", "PS384", "PS512",
            "ES256", "ES384", "ES256K", "EdDSA", "rs256", "Rs256", "RS256 ", " RS256", "RS256\0", "RSA-SHA256",
            "RS-256",
            "ＲＳ256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", String(repeating: "RS256", count: 600),
        ]
        var rows: [Row] = []
        for name in names {
            let honest = shop.with(header: "alg", .string(name))
            let input = honest.split(separator: ".")[..<2].joined(separator: ".")
            let forged = try secrets.map { shop.sealed(input: input, by: try SigningKey(hmacSecret: $0)) }
            for token in [honest, input + "."] + forged {
                rows.append(shop.row("alg \(name.prefix(20))", "algorithm", token))
            }
        }
        return rows
    }

    private static let issuers = ForgeryTable(name: "another issuer") { (shop: Workshop) throws -> [Row] in
        let genuine = "https://appleid.apple.com"
        let texts: [String] = [
            genuine + "/", "http://appleid.apple.com", "appleid.apple.com", "HTTPS://appleid.apple.com",
            "https://AppleID.apple.com", "https://appleid.apple.com.evil.example", "https://appleid.apple.com:443",
            "https://account.apple.com", "https://appleid.apple.com#", "https://appleid.apple.com?", genuine + "\0",
            " " + genuine, genuine + " ", "https://evil.example/https://appleid.apple.com", "https://appleid.apple.co",
            "https://appleid。apple.com", "https://\u{430}ppleid.apple.com", genuine + "\u{301}",
        ]
        let others: [JSONValue] = [[.string(genuine)], ["iss": .string(genuine)]]
        let values: [JSONValue] = texts.map { .string($0) } + others
        return values.map {
            shop.row("iss \($0)", "issuer", shop.with(claim: "iss", $0))
        }
    }

    private static let audiences = ForgeryTable(name: "for another app") { (shop: Workshop) throws -> [Row] in
        let ours = FakeAppleStand.bundleID
        let texts: [String] = [
            "com.example.other", ours + ".", ours + "/", "." + ours, ours + "*", "com.example.*", "*",
            ours.uppercased(),
            ours + " ", ours + "\0", ours + "," + ours, "com.example", ours + ".dev", "com.ex\u{430}mple.app",
        ]
        let others: [JSONValue] = [
            [.string(ours), "com.example.other"], ["com.example.other", .string(ours)], [.string(ours), .string(ours)],
            [[.string(ours)]], ["aud": .string(ours)], [.string(ours), .null],
        ]
        let values: [JSONValue] = texts.map { .string($0) } + others
        return values.map {
            shop.row("aud \($0)", "audience", shop.with(claim: "aud", $0))
        }
    }

    /// The edges to the second are the token's own tests'; here the clock moves on while the table is worked through.
    private static let times = ForgeryTable(name: "of another time") { (shop: Workshop) throws -> [Row] in
        let now = Int64(Date().timeIntervalSince1970)
        let offsets: [(String, Int64, String)] = [
            ("exp", -100, "expired"), ("exp", -3600, "expired"), ("exp", -now, "expired"), ("exp", -2 * now, "expired"),
            ("iat", 600, "not_yet_valid"), ("iat", 86_400, "not_yet_valid"), ("nbf", 600, "not_yet_valid"),
        ]
        let spellings: [(String, [String], String)] = [
            (
                "exp",
                ["-1", "-9223372036854775808", "-9223372036854775809", "0", "-0", "1.6e9", "0.1", "-1e14", "1e-9"],
                "expired"
            ),
            ("iat", ["9223372036854775807", "1e14", "4e9", "4000000000.5"], "not_yet_valid"),
            ("nbf", ["9223372036854775807", "1e14", "4e9", "4000000000.5"], "not_yet_valid"),
        ]
        let noNumbers: [String] = [
            "1e300", "-1e300", "1e400", "1e19", "9223372036854775808", "NaN", "Infinity",
            "-Infinity", "0x7fffffff", "01", "+1", "1_000", "1.", ".5", "1e", "--1", "١", "\"\(now + 600)\"",
            "[\(now + 600)]", String(repeating: "9", count: 1000),
        ]
        var rows: [Row] = offsets.map { claim, offset, reason in
            shop.row("\(claim) \(offset)", reason, shop.with(claim: claim, .integer(now + offset)))
        }
        for (claim, texts, reason) in spellings {
            rows += texts.map { shop.row("\(claim) \($0)", reason, shop.with(claim: claim, spelled: $0)) }
        }
        for claim in ["exp", "iat", "nbf"] {
            rows += noNumbers.map {
                shop.row("\(claim) \($0.prefix(20))", "malformed", shop.with(claim: claim, spelled: $0))
            }
        }
        return rows
    }

    private static let requests = ForgeryTable(name: "in another request") { (shop: Workshop) throws -> [Row] in
        let subject = shop.claims["sub"]?.string ?? ""
        let code = shop.body["authorizationCode"]?.string ?? ""
        func around(_ text: String) -> [JSONValue] {
            let wrong: [String] = [
                "", "\(text) ", " \(text)", "\(text)\u{301}", text.uppercased() + "!", String(text.dropLast()),
            ]
            return wrong.map { .string($0) }
        }
        let rows: [[Row]] = [
            (around("a nonce") + [.null]).map { shop.row("nonce \($0)", "nonce", "nonce", $0) },
            around(code).map { shop.row("code \($0)", "code", "authorizationCode", $0) },
            around(subject).map { shop.row("user \($0)", "user", "userIdentifier", $0) },
            ["001.other", "001.Forged"].map { shop.row("sub \($0)", "user", shop.with(claim: "sub", .string($0))) },
            around("a nonce").map { shop.row("claim nonce \($0)", "nonce", shop.with(claim: "nonce", $0)) },
            around("LDktKdoQak3Pk0cnXxCltA").map { shop.row("c_hash \($0)", "code", shop.with(claim: "c_hash", $0)) },
        ]
        return rows.flatMap { $0 }
    }

    private static let signatures = ForgeryTable(name: "with another signature") { (shop: Workshop) throws -> [Row] in
        let genuine = shop.signature
        let forger = try SigningKey.generate(.RS256, keyID: shop.key.keyID)
        let publicKey = shop.key.publicJWK?.bytes ?? []
        var embedded = shop.header
        for (name, value) in [
            ("jwk", .object(forger.publicJWK ?? [:])), ("jku", "https://evil.example/keys"),
            ("x5u", "https://evil.example/chain"), ("x5c", ["AA=="]),
        ] as [(String, JSONValue)] { embedded[name] = value }
        var signatures: [[UInt8]] = stride(from: 0, to: genuine.count, by: 8).map { index in
            var bytes = genuine
            bytes[index] ^= 1 << (index / 8 % 8)
            return bytes
        }
        signatures += [0, 1, 32, 64, 128, 255].map { Array(genuine.prefix($0)) }
        let (zero, twice): ([UInt8], [UInt8]) = ([0], genuine + genuine)
        signatures += [genuine + zero, zero + genuine, twice, genuine.reversed()]
        signatures += [0, 1, 255].map { [UInt8](repeating: $0, count: 256) }
        let unsigned = shop.with(claim: "sub", "001.victim").split(separator: ".")[..<2].joined(separator: ".")
        var rows: [Row] = signatures.enumerated().map { number, bytes in
            shop.row("signature \(number)", "signature", shop.signed(shop.input, bytes))
        }
        rows += [
            shop.row("of another token", "signature", shop.signed(unsigned, genuine)),
            shop.row("of nobody", "signature", unsigned + "."),
            shop.row("of a forger", "signature", shop.sealed(by: forger)),
            shop.row("of a key within", "signature", shop.sealed(header: embedded.description, by: forger)),
            shop.row("by the public key", "signature", shop.sealed(by: try SigningKey(hmacSecret: publicKey))),
        ]
        return rows
    }

    private static let unknownKeys = ForgeryTable(name: "by a key that Apple does not have", mostFetches: 1) {
        (shop: Workshop) throws -> [Row] in
        let ours = shop.key.keyID ?? ""
        let names: [String] = [
            "NOBODY", ours + " ", " " + ours, ours + "\u{301}", ours.lowercased() + "x", String(ours.dropLast()),
            "../" + ours, "../../../../etc/passwd", "/dev/null", "' OR '1'='1", "x'; DROP TABLE users; --",
            "https://evil.example/keys", "%00", "${jndi:ldap://evil.example}", "*", String(repeating: "k", count: 256),
            "\u{FEFF}" + ours, "\u{202E}" + ours,
        ]
        return names.map { shop.row("kid \($0)", "unknown_key", shop.with(header: "kid", .string($0))) }
    }

    private static let forms = ForgeryTable(name: "in another form") { (shop: Workshop) throws -> [Row] in
        let parts = shop.parts
        // A NUL is no text of an identity token: no field of a body may have one, and the answer to that is a 400.
        let marks: [String] = [
            "=", "==", " ", "\n", "\r\n", "\t", "\u{FEFF}", "%3D", "+", "/", "*", "é", ":", "\"", "\u{200B}",
        ]
        var tokens: [String] = []
        for mark in marks {
            for index in 0..<3 {
                for marked in [mark + parts[index], parts[index] + mark] {
                    var changed = parts
                    changed[index] = marked
                    let input = changed[..<2].joined(separator: ".")
                    tokens.append(index == 2 ? input + "." + marked : shop.sealed(input: input))
                }
            }
        }
        tokens += [
            ".", "..", "...", "a.b.c", parts[0], shop.input, "\(shop.token).", ".\(shop.token)",
            "\(shop.token).\(parts[2])", "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])",
            parts.joined(separator: ".."), parts.joined(separator: ","), parts.joined(separator: "。"),
            "Bearer \(shop.token)", "\(shop.token)\n\(shop.token)", "eyJ", "null", "{}",
        ]
        return tokens.enumerated().map { number, token in shop.row("form \(number)", "malformed", token) }
    }

    private static let documents = ForgeryTable(name: "that is no JSON object") { (shop: Workshop) throws -> [Row] in
        func tricks(_ object: JSONObject) -> [String] {
            let whole = object.description
            let open = String(whole.dropLast())
            let around: [String] = [
                "", " ", "null", "true", "1", "[]", "\"x\"", "{", "[\(whole)]", "\(whole)\(whole)", "\(whole){}",
                "\(whole)x", "\(whole)\0", "\0\(whole)", "\u{FEFF}\(whole)", "\(whole),", "\(open),}", open,
                "/**/\(whole)", "\(whole)// x",
            ]
            let members: [String] = [
                #""x""#, #""x":"#, "x:1", "'x':1", #""x":undefined"#, #""x":1e"#, "\"x\":\"\u{1}\"", #""x":"\x41""#,
                #""x":"\ud800""#, #""x":"\u00""#, #""x":01"#, #""x":NaN"#, "\"x\":\"\n\"", #""x":[1,]"#, #""x":.1"#,
            ]
            let nested: [String] = [33, 500, 1500].flatMap { depth in
                [("[", "]"), ("{\"a\":", "}")].map { opening, closing in
                    let (before, behind) = (String(repeating: opening, count: depth), closing)
                    return "\"x\":\(before)0\(String(repeating: behind, count: depth))"
                }
            }
            return around + (members + nested).map { "\(open),\($0)}" }
        }
        return tricks(shop.header).map { shop.row("header \($0.suffix(30))", "malformed", shop.sealed(header: $0)) }
            + tricks(shop.claims).map { shop.row("claims \($0.suffix(30))", "malformed", shop.sealed(payload: $0)) }
    }

    private static let sizes = ForgeryTable(name: "that is too long") { (shop: Workshop) throws -> [Row] in
        let fitting = (8192 - shop.token.utf8.count) * 3 / 4
        let tokens = [fitting, fitting + 100, 20_000].flatMap { count in
            let pad = JSONValue.string(String(repeating: "p", count: count))
            return [shop.with(claim: "pad", pad), shop.with(header: "pad", pad)]
        }
        return (tokens + [String(repeating: "A", count: 8193)]).map {
            shop.row("\($0.utf8.count) bytes", "malformed", $0)
        }
    }
}
