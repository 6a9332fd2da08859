import Dispatch
import OpenSSL
import Synchronization
import Testing

@Suite("Hashes, MACs and randomness")
struct HashTests {
    /// FIPS 180-2, appendix B, and the hash of an empty message.
    @Test(
        "SHA-256",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func sha256(text: String, hash: String) {
        #expect(SHA256.hash(Array(text.utf8)).hexadecimal == hash)
        #expect(SHA256.hash(Array("x\(text)".utf8).span.extracting(1...)).hexadecimal == hash)
        #expect(SHA256.hash(text).hexadecimal == hash)
    }

    /// RFC 4231, sections 4.2, 4.3 and 4.7.
    @Test(
        "HMAC-SHA-256",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func hmac(secret: [UInt8], text: String, tag: String) {
        let key = HMACSHA256Key(secret)
        for _ in 0..<3 { #expect(key.authenticate(Array(text.utf8)).hexadecimal == tag) }
    }

    @Test("a key can be used by several threads concurrently")
    func concurrentHMAC() {
        let key = HMACSHA256Key(Array("a secret for many threads at once".utf8))
        let messages = (0..<64).map { SecureRandom.bytes($0 * 7) }
        let expected = messages.map { HMACSHA256Key(Array("a secret for many threads at once".utf8)).authenticate($0) }
        let differences = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for round in 0..<2_000 where key.authenticate(messages[round % 64]) != expected[round % 64] {
                differences.add(1, ordering: .relaxed)
            }
        }
        #expect(differences.load(ordering: .relaxed) == 0)
    }

    @Test("a truncated, extended or changed tag is not valid")
    func validTags() {
        let key = HMACSHA256Key(Array("secret".utf8))
        let tag = key.authenticate([1, 2, 3])
        #expect(key.isValid(tag: tag, for: [1, 2, 3]))
        #expect(!key.isValid(tag: tag, for: [1, 2]))
        for count in 0..<32 { #expect(!key.isValid(tag: Array(tag.prefix(count)), for: [1, 2, 3])) }
        #expect(!key.isValid(tag: tag + [0], for: [1, 2, 3]))
        for index in tag.indices {
            var changed = tag
            changed[index] ^= 1
            #expect(!key.isValid(tag: changed, for: [1, 2, 3]))
        }
    }

    @Test(
        "constant-time comparison returns whether both are equal",
        arguments: [
            ([], [], true), ([1], [1], true), ([1, 2, 3], [1, 2, 3], true), ([1], [], false), ([], [1], false),
            ([1, 2, 3], [1, 2, 4], false), ([0, 2, 3], [1, 2, 3], false), ([1, 2], [1, 2, 3], false),
        ] as [([UInt8], [UInt8], Bool)])
    func equality(left: [UInt8], right: [UInt8], isEqual: Bool) {
        #expect(constantTimeEquals(left, right) == isEqual)
    }
}

@Suite("Random bytes")
struct SecureRandomTests {
    @Test("have the requested length and differ each time", arguments: [0, 1, 16, 255, 256, 257, 512, 1000])
    func count(count: Int) {
        let (first, second) = (SecureRandom.bytes(count), SecureRandom.bytes(count))
        #expect(first.count == count && second.count == count)
        if count >= 16 { #expect(first != second) }
    }

    @Test("fill the whole array", arguments: [16, 256, 257, 300])
    func everyPlace(count: Int) {
        var seen = [UInt8](repeating: 0, count: count)
        for _ in 0..<64 { for (place, byte) in SecureRandom.bytes(count).enumerated() { seen[place] |= byte } }
        #expect(seen.allSatisfy { $0 == 0xFF })
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
        map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }
}
