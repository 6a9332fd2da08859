import JOSE
import Testing

@Suite("base64")
struct Base64Tests {
    // RFC 4648, section 10, and the two characters in which it differs from base64url.
    private static let examples: [(bytes: [UInt8], text: String)] = [
        ([], ""), (Array("f".utf8), "Zg=="), (Array("fo".utf8), "Zm8="), (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg=="), (Array("fooba".utf8), "Zm9vYmE="), (Array("foobar".utf8), "Zm9vYmFy"),
        ([0xFB, 0xFF, 0xBF], "+/+/"), ([0xFF], "/w=="),
    ]

    @Test("Encodes and decodes the vectors of RFC 4648", arguments: examples)
    func vectors(bytes: [UInt8], text: String) {
        #expect(Base64.encode(bytes) == text)
        #expect(Base64.decode(text) == bytes)
    }

    @Test(
        "Refuses another alphabet, other padding, white space and unused bits",
        arguments: [
            "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zm9vYg==Zm9v", "-_-_", "Zm 9", "Zm9v\n", "Zh==", "Zm9=",
            "Zm9vYmFy=", "Zm\u{301}9v",
        ])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
