import Foundation
import JSON

/// Tokens with wrong claims, and claims that do not match the request.
extension ForgedLoginTable {
    static let issuers = ForgedLoginTable(name: "wrong issuer") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
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
            builder.row("iss \($0)", expecting: "issuer", token: builder.with(claim: "iss", $0))
        }
    }

    static let audiences = ForgedLoginTable(name: "wrong audience") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let own = FakeAppleIssuer.bundleID
        let texts: [String] = [
            "com.example.other", own + ".", own + "/", "." + own, own + "*", "com.example.*", "*",
            own.uppercased(),
            own + " ", own + "\0", own + "," + own, "com.example", own + ".dev", "com.ex\u{430}mple.app",
        ]
        let others: [JSONValue] = [
            [.string(own), "com.example.other"], ["com.example.other", .string(own)], [.string(own), .string(own)],
            [[.string(own)]], ["aud": .string(own)], [.string(own), .null],
        ]
        let values: [JSONValue] = texts.map { .string($0) } + others
        return values.map {
            builder.row("aud \($0)", expecting: "audience", token: builder.with(claim: "aud", $0))
        }
    }

    /// The unit tests of the tokens check the limits to the second. Here the clock advances
    /// while the table is processed.
    static let times = ForgedLoginTable(name: "wrong time") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let now = Int64(Date().timeIntervalSince1970)
        let offsets: [(claim: String, seconds: Int64, reason: String)] = [
            ("exp", -100, "expired"), ("exp", -3600, "expired"), ("exp", -now, "expired"), ("exp", -2 * now, "expired"),
            ("iat", 600, "not_yet_valid"), ("iat", 86_400, "not_yet_valid"), ("nbf", 600, "not_yet_valid"),
        ]
        let spellings: [(claim: String, texts: [String], reason: String)] = [
            (
                "exp",
                ["-1", "-9223372036854775808", "-9223372036854775809", "0", "-0", "1.6e9", "0.1", "-1e14", "1e-9"],
                "expired"
            ),
            ("iat", ["9223372036854775807", "1e14", "4e9", "4000000000.5"], "not_yet_valid"),
            ("nbf", ["9223372036854775807", "1e14", "4e9", "4000000000.5"], "not_yet_valid"),
        ]
        let notNumbers: [String] = [
            "1e300", "-1e300", "1e400", "1e19", "9223372036854775808", "NaN", "Infinity",
            "-Infinity", "0x7fffffff", "01", "+1", "1_000", "1.", ".5", "1e", "--1", "١", "\"\(now + 600)\"",
            "[\(now + 600)]", String(repeating: "9", count: 1000),
        ]
        var rows: [Row] = offsets.map { claim, seconds, reason in
            builder.row(
                "\(claim) \(seconds)", expecting: reason, token: builder.with(claim: claim, .integer(now + seconds)))
        }
        for (claim, texts, reason) in spellings {
            rows += texts.map {
                builder.row("\(claim) \($0)", expecting: reason, token: builder.with(claim: claim, spelled: $0))
            }
        }
        for claim in ["exp", "iat", "nbf"] {
            rows += notNumbers.map {
                builder.row(
                    "\(claim) \($0.prefix(20))", expecting: "malformed", token: builder.with(claim: claim, spelled: $0))
            }
        }
        return rows
    }

    static let requests = ForgedLoginTable(name: "mismatch with the request") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let subject = builder.claims["sub"]?.string ?? ""
        let code = builder.body["authorizationCode"]?.string ?? ""
        func around(_ text: String) -> [JSONValue] {
            let wrong: [String] = [
                "", "\(text) ", " \(text)", "\(text)\u{301}", text.uppercased() + "!", String(text.dropLast()),
            ]
            return wrong.map { .string($0) }
        }
        let rows: [[Row]] = [
            (around("a nonce") + [.null]).map { builder.row("nonce \($0)", expecting: "nonce", member: "nonce", $0) },
            around(code).map { builder.row("code \($0)", expecting: "code", member: "authorizationCode", $0) },
            around(subject).map { builder.row("user \($0)", expecting: "user", member: "userIdentifier", $0) },
            ["001.other", "001.Forged"].map {
                builder.row("sub \($0)", expecting: "user", token: builder.with(claim: "sub", .string($0)))
            },
            around("a nonce").map {
                builder.row("claim nonce \($0)", expecting: "nonce", token: builder.with(claim: "nonce", $0))
            },
            around("LDktKdoQak3Pk0cnXxCltA").map {
                builder.row("c_hash \($0)", expecting: "code", token: builder.with(claim: "c_hash", $0))
            },
        ]
        return rows.flatMap { $0 }
    }
}
