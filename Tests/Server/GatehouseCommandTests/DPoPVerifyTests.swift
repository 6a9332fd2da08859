import JOSE
import JSON
import TestSupport
import Testing

@Suite("gatehouse dpop verify")
struct DPoPVerifyTests {
    private static let (noon, time) = (Int64(1_760_000_000), "1760000000")
    private static let url = "https://api.example.com/api/auth/refresh"
    private static let subjects = [
        "form", "type", "algorithm", "key", "signature", "claims", "jti", "htm", "htu", "iat", "ath", "nonce",
        "thumbprint", "used",
    ]

    private let tool: Tool
    private let key: SigningKey

    init() throws {
        tool = try Tool()
        key = try SigningKey.generate(.ES256)
    }

    /// A proof of a refresh at noon. A claim or a member of the header that is `null` is left out.
    private func proof(
        _ changes: JSONObject = [:], header: JSONObject = [:], by other: SigningKey? = nil
    ) throws -> String {
        let key = other ?? key
        let claims: JSONObject = [
            "jti": "one", "htm": "POST", "htu": .string(Self.url), "iat": .integer(Self.noon),
        ]
        let head: JSONObject = ["typ": "dpop+jwt", "jwk": .object(try #require(key.publicJWK))]
        return try CompactJWS.sign(payload: merged(claims, changes).bytes, header: merged(head, header), with: key)
    }

    private func merged(_ object: JSONObject, _ changes: JSONObject) -> JSONObject {
        var all = object
        for (name, value) in changes.members { all[name] = value.isNull ? .none : .some(value) }
        return all
    }

    private func verify(_ words: String..., input: String = "") throws -> Shell.Outcome {
        try tool.run(["dpop", "verify", "--at", Self.time] + words, input: input)
    }

    @Test("a right proof prints its claims, from the command line, a file and standard input")
    func good() throws {
        let proof = try proof()
        let file = try tool.file("proof", proof + "\n")
        for outcome in [
            try verify(proof), try verify(file), try verify("-", input: proof + "\nsomething else\n"),
            try verify("--", proof),
        ] {
            outcome.expect(0)
            #expect(try JSONValue(parsing: outcome.text).object?["jti"] == "one")
            #expect(outcome.report.map(\.check) == Self.subjects)
        }
    }

    @Test("what was not given is not compared, and the report says so")
    func notGiven() throws {
        let lines = try verify(try proof(["ath": "AAAA", "nonce": "n"])).report
        #expect(lines.map(\.mark) == Array(repeating: "ok", count: 7) + ["-", "-", "ok", "-", "-", "-", "-"])
        #expect(lines[3].text == "EC P-256, thumbprint \(key.thumbprint)")
        #expect(lines[7].text == "POST, not compared: no --method was given")
        #expect(lines[8].text == "\(Self.url), not compared: no --url was given")
        #expect(lines[10].text == "AAAA, not compared: no --access-token was given")
        #expect(lines[11].text == "n, not checked: only the server knows its nonces")
        #expect(lines[12].text == "not compared: no --jkt was given")
        #expect(lines[13].text == "not checked: only the server knows whether the proof has been used")
        let none = try verify(try proof()).report
        #expect(none[10].text == "none in the proof, not compared: no --access-token was given")
        #expect(none[11].text == "none in the proof")
    }

    struct Fault: Sendable {
        var claims: JSONObject = [:]
        var header: JSONObject = [:]
        var words: [String] = []
        let subject: String
        let reason: String
        let text: String
    }

    @Test(
        "a fault has the server's reason, and its line names both values, without control characters",
        arguments: [
            Fault(header: ["crit": []], subject: "form", reason: "malformed", text: "header has crit"),
            Fault(
                header: ["typ": "JWT"], subject: "type", reason: "malformed", text: "typ must be dpop+jwt, and is JWT"),
            Fault(header: ["jwk": nil], subject: "key", reason: "malformed", text: "the header has no jwk"),
            Fault(
                header: ["jwk": ["kty": "EC", "d": "AAAA"]], subject: "key", reason: "malformed",
                text: "jwk contains the private key (d)"),
            Fault(
                header: ["jwk": ["kty": "EC", "crv": "P-384"]], subject: "key", reason: "malformed",
                text: "unusable key: it is neither RSA, EC with P-256 nor OKP with Ed25519"),
            Fault(
                header: ["jwk": ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]],
                subject: "key", reason: "algorithm", text: "a key of kind OKP Ed25519 does not sign with ES256"),
            Fault(
                header: [
                    "jwk": [
                        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
                    ]
                ], subject: "signature", reason: "signature", text: "not valid for the key in jwk"),
            Fault(
                claims: ["jti": ""], subject: "jti", reason: "malformed", text: "jti must be a text of 1 to 256 bytes"),
            Fault(
                claims: ["htm": nil], subject: "htm", reason: "malformed", text: "htm must be a text, and is nothing"),
            Fault(claims: ["htu": 7], subject: "htu", reason: "malformed", text: "htu must be a text, and is 7"),
            Fault(claims: ["iat": "now"], subject: "iat", reason: "malformed", text: "iat must be seconds since 1970"),
            Fault(
                claims: ["ath": "="], subject: "ath", reason: "malformed", text: "ath must be a SHA-256 in base64url"),
            Fault(claims: ["nonce": 1], subject: "nonce", reason: "malformed", text: "nonce must be a text, and is 1"),
            Fault(words: ["--method", "GET"], subject: "htm", reason: "method", text: "POST is not GET"),
            Fault(
                claims: ["htm": "\u{1B}[2J\u{9B}\n\u{202E}", "jti": "\u{1B}[31m"], words: ["--method", "GET"],
                subject: "htm", reason: "method", text: ""),
            Fault(
                words: ["--url", "https://api.example.com/api/users/me"], subject: "htu", reason: "url",
                text: "\(url) is not https://api.example.com/api/users/me"),
            Fault(claims: ["htu": "/api"], subject: "htu", reason: "url", text: "/api is not a whole address"),
            Fault(
                claims: ["iat": .integer(noon - 61)], subject: "iat", reason: "expired",
                text: "issued 2025-10-09T08:52:19.000Z, 61 s before 2025-10-09T08:53:20.000Z, which is more than 60 s"),
            Fault(
                claims: ["iat": .integer(noon + 61)], subject: "iat", reason: "not_yet_valid",
                text: "issued 2025-10-09T08:54:21.000Z, 61 s after"),
            Fault(
                words: ["--access-token", "token"], subject: "ath", reason: "access_token",
                text: "nothing is not the SHA-256 of the access token, PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A"),
            Fault(
                words: ["--jkt", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"], subject: "thumbprint", reason: "key",
                text: "the proof's key is "),
        ])
    func faults(fault: Fault) throws {
        let proof = try proof(fault.claims, header: fault.header)
        let outcome = try tool.run(["dpop", "verify", "--at", Self.time] + fault.words + [proof])
        #expect(outcome.status == 1)
        #expect(outcome.text.hasPrefix(fault.reason + ": ") && outcome.text.filter(\.isNewline).count == 1)
        let lines = outcome.report
        #expect(lines.map(\.check) == Self.subjects)
        #expect(lines.filter { $0.mark == "FAULT" }.map(\.check) == [fault.subject])
        let line = try #require(lines.first { $0.mark == "FAULT" })
        #expect(line.text.hasPrefix(fault.text), "\(line.text)")
        #expect(outcome.errorOutput.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "\n" })
        for part in proof.split(separator: ".") { #expect(!outcome.everything.contains(part)) }
    }

    @Test("each fault of the request has its line, and the reason is the first one, as the server's")
    func severalFaults() throws {
        let outcome = try verify(
            "--method", "GET", "--url", "https://api.example.com/", try proof(["iat": .integer(Self.noon - 100)]))
        #expect(outcome.report.filter { $0.mark == "FAULT" }.map(\.check) == ["htm", "htu", "iat"])
        #expect(outcome.text.hasPrefix("method: "))
    }

    @Test("an unsigned proof and one signed with a secret are refused", arguments: ["none", "HS256", "RS256"])
    func algorithms(name: String) throws {
        let parts = try proof().split(separator: ".")
        let head = Base64URL.encode(Array(#"{"typ":"dpop+jwt","alg":"\#(name)"}"#.utf8))
        let outcome = try verify("\(head).\(parts[1]).\(parts[2])")
        #expect(outcome.status == 1 && outcome.text.hasPrefix("algorithm: "))
        #expect(outcome.report[2].text == "\(name) is neither ES256 nor EdDSA")
    }

    @Test("what is given is compared; an Ed25519 key proves, too, and another spelling of the address is the same one")
    func ed25519() throws {
        let key = try SigningKey.generate(.EdDSA)
        let proof = try proof(["htu": "HTTPS://API.example.com:443/api/%61uth/refresh"], by: key)
        let outcome = try verify("--method", "POST", "--url", Self.url, "--jkt", key.thumbprint, proof)
        outcome.expect(0)
        #expect(outcome.report.map(\.mark) == Array(repeating: "ok", count: 10) + ["-", "-", "ok", "-"])
        #expect(outcome.report[3].text == "OKP Ed25519, thumbprint \(key.thumbprint)")
    }

    @Test("without --jkt, the key is compared with the one to which the access token is bound")
    func accessToken() throws {
        func token(_ claims: JSONObject) throws -> String {
            try CompactJWS.sign(payload: claims.bytes, with: SigningKey.generate(.HS256))
        }
        for (claims, mark, text) in [
            (["cnf": ["jkt": .string(key.thumbprint)]], "ok", "the access token is bound to this key"),
            (["cnf": ["jkt": "another"]], "FAULT", "the proof's key is "),
            ([:], "-", "not compared: the access token is bound to no key"),
        ] as [(JSONObject, String, String)] {
            let token = try tool.file("token", try token(claims))
            let hash = try Shell.run(["sh", "-c", "openssl dgst -sha256 -binary \(token)"])
            let outcome = try verify(
                "--access-token", token, try proof(["ath": .string(Base64URL.encode(Array(hash)))]))
            #expect(outcome.status == (mark == "FAULT" ? 1 : 0), "\(outcome.everything)")
            #expect(outcome.report[10].mark == "ok")
            #expect(outcome.report[12].mark == mark && outcome.report[12].text.hasPrefix(text))
        }
    }

    @Test("--json prints the checks, the refusal, the claims and the thumbprint as one document")
    func json() throws {
        let good = try verify("--json", try proof())
        let accepted = try #require(try JSONValue(parsing: good.text).object)
        #expect(good.status == 0 && good.errorOutput == "")
        #expect(accepted.names == ["ok", "checks", "reason", "detail", "claims", "jkt"])
        #expect(accepted["ok"] == true && accepted["jkt"] == .string(key.thumbprint))
        #expect(accepted["claims"]?.object?["htm"] == "POST")
        #expect(accepted["checks"]?.array?.map { $0.object?["subject"]?.string } == Self.subjects)

        let bad = try verify("--json", "--method", "GET", try proof())
        let refused = try #require(try JSONValue(parsing: bad.text).object)
        #expect(bad.status == 1 && bad.errorOutput == "")
        #expect(refused["ok"] == false && refused["reason"] == "method" && refused["claims"] == .null)
        #expect(refused["detail"] == "htm of the proof is not the method of this request.")
        let unreadable = try verify("--json", "no proof")
        #expect(try JSONValue(parsing: unreadable.text).object?["jkt"] == .null)
    }

    @Test(
        "a wrong option is refused with its right form",
        arguments: [
            (["--method", "post"], "--method must be a method in capital letters"),
            (["--method", ""], "--method must be a method in capital letters"),
            (["--url", "/api/auth/refresh"], "--url must be the whole address"),
            (["--jkt", "short"], "--jkt must be a thumbprint"), (["--at", "noon"], "--at must be seconds since 1970"),
            (["--access-token", "-"], "only one of PROOF and --access-token"),
        ])
    func wrongOption(words: [String], message: String) throws {
        let outcome = try tool.run(["dpop", "verify"] + words + ["-"], input: "proof")
        outcome.expectRefusal(2)
        #expect(outcome.errorOutput.contains(message), "\(outcome.errorOutput)")
    }
}
