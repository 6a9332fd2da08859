import Gatehouse
import JOSE
import JSON
import Testing

@Suite("The format of an identity token")
struct FormatTests {
    /// A signed token, padded to this length in header and payload.
    private func token(ofLength length: Int) throws -> String {
        for headerPadding in 0..<4 {
            let header = #"{"kid":"KEY0000001","alg":"RS256","x":"\#(String(repeating: "h", count: headerPadding))"}"#
            let empty = TestToken.withClaim("pad", "")
            for count in (length - empty.utf8.count) * 3 / 4 - 20..<(length - empty.utf8.count) * 3 / 4 + 20 {
                var claims = ValidLogin.claims
                claims["pad"] = .string(String(repeating: "p", count: count))
                let token = TestToken.make(header: header, payload: claims.description)
                if token.utf8.count == length { return token }
            }
        }
        throw NoTokenOfThisLength()
    }

    private struct NoTokenOfThisLength: Error {}

    @Test("a token has at most 8192 bytes")
    func size() throws {
        expectAcceptance(try token(ofLength: 8192))
        expectRefusal(try token(ofLength: 8193), .malformed)
        expectRefusal(String(repeating: "A", count: 1 << 20), .malformed)
    }

    @Test("a token has three parts, and the first two are not empty")
    func parts() {
        let parts = ValidLogin.token.split(separator: ".").map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        for text in [
            "", ".", "..", "...", header, "\(header).\(payload)", "\(header).\(signature)",
            "\(ValidLogin.token).", "\(ValidLogin.token).\(signature)", "\(ValidLogin.token)..", ".\(ValidLogin.token)",
            "\(header)..\(payload).\(signature)", "a.b.c.d.e", ".\(payload).\(signature)", "\(header)..\(signature)",
            "\(header),\(payload),\(signature)", "\(header)。\(payload)。\(signature)",
        ] {
            expectRefusal(text, .malformed)
        }
        expectRefusal(TestToken.signed(".\(payload)"), .malformed)
        expectRefusal(TestToken.signed("\(header)."), .malformed)
        expectRefusal(TestToken.signed("."), .malformed)
    }

    @Test("a part is base64url without padding, even if the padded part is signed")
    func padding() {
        let parts = ValidLogin.token.split(separator: ".").map(String.init)
        let (header, payload) = (parts[0], parts[1])
        for character in ["=", "==", " ", "\n", "\r\n", "\t", "\0", "%3D", "\u{FEFF}", "é", "*"] {
            expectRefusal(TestToken.signed("\(header)\(character).\(payload)"), .malformed)
            expectRefusal(TestToken.signed("\(character)\(header).\(payload)"), .malformed)
            expectRefusal(TestToken.signed("\(header).\(payload)\(character)"), .malformed)
            expectRefusal(TestToken.signed("\(header).\(character)\(payload)"), .malformed)
            expectRefusal(ValidLogin.token + character, .malformed)
        }
    }

    @Test("characters of plain base64 are refused")
    func plainAlphabet() {
        let payload = Base64URL.encode(Array(#"{"?????>>>>>":1,"#.utf8) + ValidLogin.claims.bytes.dropFirst())
        let header = Base64URL.encode(ValidLogin.header.bytes)
        #expect(payload.contains("_") && payload.contains("-"))
        expectAcceptance(TestToken.signed("\(header).\(payload)"))
        let withSlash = payload.replacing("_", with: "/")
        expectRefusal(TestToken.signed("\(header).\(withSlash)"), .malformed)
        let withPlus = payload.replacing("-", with: "+")
        expectRefusal(TestToken.signed("\(header).\(withPlus)"), .malformed)
    }

    /// The last character that encodes 256 bytes has four unused bits.
    @Test("a signature has only one encoding")
    func trailingBits() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(ValidLogin.token.last)
        let index = try #require(alphabet.firstIndex(of: last))
        #expect(index % 16 == 0)
        for offset in 1..<16 {
            expectRefusal(ValidLogin.token.dropLast() + String(alphabet[index + offset]), .malformed)
        }
    }
}
