import JOSE
import JSON
import Testing

extension TokenVerifier {
    fileprivate func payload(of token: String) -> [UInt8]? { payload(of: token.utf8.span) }
}

@Suite("TokenVerifier")
struct TokenVerifierTests {
    private static func key(_ byte: UInt8, named name: String?) throws -> SigningKey {
        try SigningKey(hmacSecret: [UInt8](repeating: byte, count: 32), keyID: name)
    }

    private static let payload = Array(#"{"sub":"ann"}"#.utf8)

    @Test("verifies tokens of the current and of a previous key")
    func genuine() throws {
        let (old, new) = (try Self.key(1, named: "old"), try Self.key(2, named: "new"))
        let verifier = TokenVerifier(keys: [new, old], type: "at+jwt")
        for key in [old, new] {
            #expect(
                verifier.payload(of: TokenSigner(key: key, type: "at+jwt").token(for: Self.payload)) == Self.payload)
        }
    }

    @Test("rejects tokens of another type or key, also if it has the same id")
    func foreign() throws {
        let verifier = TokenVerifier(keys: [try Self.key(1, named: "k")], type: "at+jwt")
        for (byte, name, type) in [
            (1, "k", "rt+jwt"), (1, "k", nil), (1, nil, "at+jwt"), (1, "other", "at+jwt"), (2, "k", "at+jwt"),
        ] as [(UInt8, String?, String?)] {
            let token = TokenSigner(key: try Self.key(byte, named: name), type: type).token(for: Self.payload)
            #expect(verifier.payload(of: token) == nil, "\(byte) \(name ?? "") \(type ?? "")")
        }
    }

    @Test("rejects tokens with any byte added, removed or changed", .timeLimit(.minutes(2)))
    func mangled() throws {
        let key = try Self.key(1, named: "k")
        let verifier = TokenVerifier(keys: [key], type: "at+jwt")
        let token = Array(TokenSigner(key: key, type: "at+jwt").token(for: Self.payload).utf8)
        func isRefused(_ bytes: [UInt8]) -> Bool { verifier.payload(of: String(decoding: bytes, as: UTF8.self)) == nil }
        for index in token.indices {
            var changed = token
            changed[index] ^= 1
            #expect(isRefused(changed), "\(index) changed")
            changed.remove(at: index)
            #expect(isRefused(changed), "\(index) taken away")
            #expect(isRefused(Array(token[..<index])), "cut at \(index)")
            #expect(isRefused(token[..<index] + [0x2E] + token[index...]), "a dot at \(index)")
        }
        for end in ["=", ".", ".e30", " ", "\n"] { #expect(isRefused(token + Array(end.utf8)), "\(end)") }
        #expect(isRefused([0x20] + token))
    }

    @Test("rejects any other encoding of an equivalent header")
    func spelling() throws {
        let key = try Self.key(1, named: "k")
        let verifier = TokenVerifier(keys: [key], type: "at+jwt")
        for header in [
            ["kid": "k"], ["typ": "at+jwt"], ["typ": "at+jwt", "kid": "k"],
            ["kid": "k", "typ": "at+jwt", "crit": .array([])], ["kid": "k", "typ": "AT+JWT"],
        ] as [JSONObject] {
            let token = try CompactJWS.sign(payload: Self.payload, header: header, with: key)
            #expect(verifier.payload(of: token) == nil, "\(header)")
        }
        let token = try CompactJWS.sign(payload: Self.payload, header: ["kid": "k", "typ": "at+jwt"], with: key)
        #expect(verifier.payload(of: token) == Self.payload)
    }

    @Test("rejects tokens above the maximum length")
    func length() throws {
        let key = try Self.key(1, named: "k")
        let verifier = TokenVerifier(keys: [key], type: "at+jwt")
        let signer = TokenSigner(key: key, type: "at+jwt")
        #expect(verifier.payload(of: signer.token(for: [UInt8](repeating: 0x20, count: 2900))) != nil)
        #expect(verifier.payload(of: signer.token(for: [UInt8](repeating: 0x20, count: 3100))) == nil)
    }
}
