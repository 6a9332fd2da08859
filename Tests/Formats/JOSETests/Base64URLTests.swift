import JOSE
import Testing

@Suite("Base64url")
struct Base64URLTests {
    /// RFC 4648, section 10, without padding, and a value with every character of the alphabet.
    @Test(
        "known values",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"), ("??>>~~", "Pz8-Pn5-"), ("\u{FF}\u{3FF}", "w7_Pvw"),
        ])
    func knownValues(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
        #expect(Base64URL.decode(Array(encoded.utf8)) == Array(text.utf8))
    }

    @Test("every byte at every position can be encoded and decoded", arguments: 0..<7)
    func roundTrip(offset: Int) {
        for byte in UInt8.min...UInt8.max {
            let bytes = [UInt8](repeating: ~byte, count: offset) + [byte]
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "any other encoding of the same bytes is rejected",
        arguments: [
            "Zg==", "Zm8=", "Zg=", "=", "Z g", " Zg", "Zg ", "Zg\n", "Zm9v\r\n", "Zm9v\0", "Pz8+Pn5-", "w7/Pvw", "Z",
            "Zm9vY", "Zm9vYmFyZ", "Zh", "Zv", "Z_", "Zm9", "Zm-", "Zm9vYh", "Zm9vYmF", "Zm9v.", "Zm9vé", "Zm9v\u{212A}",
            "Zm9v%3D",
        ])
    func refuses(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("exactly 64 characters are accepted")
    func alphabet() {
        let accepted = (UInt8.min...UInt8.max).filter { Base64URL.decode([$0, UInt8(ascii: "A")]) != nil }
        // With `A` as the second character the unused bits are zero, so every character of the alphabet is accepted.
        #expect(accepted.count == 64)
        #expect(String(decoding: accepted, as: UTF8.self).hasPrefix("-0123456789ABC"))
    }
}
