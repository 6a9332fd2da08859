import Testing
import WebAuthn

@Suite("CBOR")
struct CBORTests {
    @Test("a value is read")
    func value() throws {
        #expect(try CBOR(parsing: [0x18, 0x18]) == 24)
    }
}
