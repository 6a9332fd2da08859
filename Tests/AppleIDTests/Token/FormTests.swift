import Gatehouse
import JOSE
import JSON
import Testing

@Suite("The form of an identity token")
struct FormTests {
    @Test("a login in which nothing is wrong is accepted")
    func genuine() {
        let credential = AppleCredential(
            identityToken: Genuine.token, authorizationCode: Genuine.code, userIdentifier: Genuine.subject)
        #expect(expectAcceptance(credential)?.subject == Genuine.subject)
    }

    /// Signed by Apple, and padded to a length in header and payload.
    private func token(ofLength length: Int) throws -> String {
        for spare in 0..<4 {
            let header = #"{"kid":"KEY0000001","alg":"RS256","x":"\#(String(repeating: "h", count: spare))"}"#
            let empty = Forge.claim("pad", "")
            for count in (length - empty.utf8.count) * 3 / 4 - 20..<(length - empty.utf8.count) * 3 / 4 + 20 {
                var claims = Genuine.claims
                claims["pad"] = .string(String(repeating: "p", count: count))
                let token = Forge.token(header: header, payload: claims.description)
                if token.utf8.count == length { return token }
            }
        }
        throw NoTokenOfThisLength()
    }

    private struct NoTokenOfThisLength: Error {}

    @Test("a token may have 8192 bytes and not one more")
    func size() throws {
        expectAcceptance(try token(ofLength: 8192))
        expectRefusal(try token(ofLength: 8193), .malformed)
        expectRefusal(String(repeating: "A", count: 1 << 20), .malformed)
    }

    @Test("a token has three parts, none of the first two empty")
    func parts() {
        let parts = Genuine.token.split(separator: ".").map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        for text in [
            "", ".", "..", "...", header, "\(header).\(payload)", "\(header).\(signature)",
            "\(Genuine.token).", "\(Genuine.token).\(signature)", "\(Genuine.token)..", ".\(Genuine.token)",
            "\(header)..\(payload).\(signature)", "a.b.c.d.e", ".\(payload).\(signature)", "\(header)..\(signature)",
            "\(header),\(payload),\(signature)", "\(header)。\(payload)。\(signature)",
        ] {
            expectRefusal(text, .malformed)
        }
        expectRefusal(Forge.signed(".\(payload)"), .malformed)
        expectRefusal(Forge.signed("\(header)."), .malformed)
        expectRefusal(Forge.signed("."), .malformed)
    }

    @Test("a part is base64url without padding, signed as it stands or not")
    func padding() {
        let parts = Genuine.token.split(separator: ".").map(String.init)
        let (header, payload) = (parts[0], parts[1])
        for mark in ["=", "==", " ", "\n", "\r\n", "\t", "\0", "%3D", "\u{FEFF}", "é", "*"] {
            expectRefusal(Forge.signed("\(header)\(mark).\(payload)"), .malformed)
            expectRefusal(Forge.signed("\(mark)\(header).\(payload)"), .malformed)
            expectRefusal(Forge.signed("\(header).\(payload)\(mark)"), .malformed)
            expectRefusal(Forge.signed("\(header).\(mark)\(payload)"), .malformed)
            expectRefusal(Genuine.token + mark, .malformed)
        }
    }

    @Test("the plain base64 alphabet is another one")
    func plainAlphabet() {
        let payload = Base64URL.encode(Array(#"{"?????>>>>>":1,"#.utf8) + Genuine.claims.bytes.dropFirst())
        let header = Base64URL.encode(Genuine.header.bytes)
        #expect(payload.contains("_") && payload.contains("-"))
        expectAcceptance(Forge.signed("\(header).\(payload)"))
        let slashed = payload.replacing("_", with: "/")
        expectRefusal(Forge.signed("\(header).\(slashed)"), .malformed)
        let crossed = payload.replacing("-", with: "+")
        expectRefusal(Forge.signed("\(header).\(crossed)"), .malformed)
    }

    /// The last character of 256 bytes carries four bits that stand for nothing.
    @Test("one signature has one spelling")
    func trailingBits() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(Genuine.token.last)
        let index = try #require(alphabet.firstIndex(of: last))
        #expect(index % 16 == 0)
        for offset in 1..<16 {
            expectRefusal(Genuine.token.dropLast() + String(alphabet[index + offset]), .malformed)
        }
    }
}
