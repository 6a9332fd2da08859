import COpenSSL
import OpenSSL
import Testing

@Suite("AES-256-GCM")
struct AES256GCMTests {
    private let key: AES256GCMKey
    private let message = Array("what must not be read".utf8)
    private let data = Array("whose it is".utf8)

    init() throws {
        key = try AES256GCMKey([UInt8](0..<32))
    }

    @Test("a sealed message of any length can be opened", arguments: [0, 1, 15, 16, 17, 1_000, 100_000])
    func roundTrip(count: Int) {
        let message = SecureRandom.bytes(count)
        for data in [[], data, SecureRandom.bytes(count)] {
            let sealed = key.seal(message, with: data)
            #expect(sealed.count == count + 28)
            #expect(key.open(sealed, with: data) == message)
        }
    }

    @Test("every message gets another nonce")
    func nonces() {
        #expect(Set((0..<1_000).map { _ in Array(key.seal(message, with: data).prefix(12)) }).count == 1_000)
    }

    @Test("a message with any bit changed is rejected, and the error queue stays empty")
    func everyBitCounts() {
        let sealed = key.seal(message, with: data)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(key.open(changed, with: data) == nil, "bit \(bit)")
        }
        #expect(ERR_peek_error() == 0)
    }

    @Test("a message that is truncated or extended, or has other data or another key, is rejected")
    func bound() throws {
        let sealed = key.seal(message, with: data)
        for count in 0..<sealed.count { #expect(key.open(Array(sealed.prefix(count)), with: data) == nil) }
        for changed in [sealed + [0], [0] + sealed] { #expect(key.open(changed, with: data) == nil) }
        for other in [[], data + [0], Array(data.dropLast()), message] { #expect(key.open(sealed, with: other) == nil) }
        #expect(try AES256GCMKey([UInt8](1..<33)).open(sealed, with: data) == nil)
    }

    @Test("a key has 32 bytes", arguments: [0, 16, 24, 31, 33, 64])
    func keyLengths(count: Int) {
        #expect(throws: KeyError.length(bytes: count)) { try AES256GCMKey([UInt8](repeating: 7, count: count)) }
    }
}
