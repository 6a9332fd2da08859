import COpenSSL
import Dispatch
import OpenSSL
import Synchronization
import Testing

@Suite("Keys")
struct KeyTests {
    private static let message = Array("message".utf8)

    private func modulus(bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
        bytes[0] = 1 << UInt8((bits - 1) % 8)
        return bytes
    }

    @Test(
        "an RSA key of 2048 to 8192 bits with a common exponent is accepted", arguments: [2048, 2049, 3072, 4096, 8192])
    func acceptedModulus(bits: Int) {
        for exponent in [[3], [17], [1, 0, 1]] as [[UInt8]] {
            #expect(throws: Never.self) { try RSAPublicKey(modulus: modulus(bits: bits), exponent: exponent) }
        }
        #expect(throws: Never.self) {
            try RSAPublicKey(modulus: [0, 0] + modulus(bits: bits), exponent: [0, 1, 0, 1])
        }
    }

    @Test("an RSA key of any other size is rejected", arguments: [8, 512, 1024, 2040, 2047, 8193, 16384])
    func refusedModulus(bits: Int) {
        #expect(throws: KeyError.modulusSize(bits: bits)) {
            try RSAPublicKey(modulus: modulus(bits: bits), exponent: [1, 0, 1])
        }
        #expect(throws: KeyError.modulusSize(bits: bits)) {
            try RSAPublicKey(modulus: [UInt8](repeating: 0, count: 256) + modulus(bits: bits), exponent: [1, 0, 1])
        }
    }

    @Test("an invalid RSA modulus is rejected")
    func impossibleModulus() {
        #expect(throws: KeyError.modulusSize(bits: 0)) { try RSAPublicKey(modulus: [], exponent: [3]) }
        #expect(throws: KeyError.evenModulus) {
            try RSAPublicKey(modulus: modulus(bits: 2048).dropLast() + [0xA4], exponent: [3])
        }
    }

    @Test(
        "an RSA exponent that is even, below 3 or longer than eight bytes is rejected",
        arguments: [[], [0], [0, 0], [1], [0, 1], [2], [4], [1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 1]] as [[UInt8]])
    func refusedExponents(exponent: [UInt8]) {
        #expect(throws: KeyError.exponent) { try RSAPublicKey(modulus: modulus(bits: 2048), exponent: exponent) }
    }

    @Test("a signature is valid only for the hash of the signed message")
    func hashes() throws {
        let hash = SHA256.hash(Self.message)
        let (rsa, p256) = (try RSAPrivateKey.generate(), try P256PrivateKey.generate())
        let (first, second) = (try rsa.sign(Self.message), try p256.sign(Self.message))
        #expect(rsa.publicKey.isValidPKCS1SHA256Signature(first, ofHash: hash))
        #expect(p256.publicKey.isValid(signature: second, ofHash: hash))
        for other in [[], SHA256.hash(hash), Array(hash.dropLast()), hash + [0]] {
            #expect(!rsa.publicKey.isValidPKCS1SHA256Signature(first, ofHash: other))
            #expect(!p256.publicKey.isValid(signature: second, ofHash: other))
        }
    }

    @Test("a point that is not on the curve and coordinates of another length are rejected")
    func refusedPoints() throws {
        let key = try P256PrivateKey.generate().publicKey
        var changed = key.y
        changed[31] ^= 1
        let (zero, all) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32))
        for (x, y) in [(key.x, changed), (key.y, key.x), (zero, zero), (all, all), (key.x, zero)] {
            #expect(throws: KeyError.point) { try P256PublicKey(x: x, y: y) }
        }
        #expect(throws: KeyError.length(bytes: 31)) { try P256PublicKey(x: Array(key.x.dropLast()), y: key.y) }
        #expect(throws: KeyError.length(bytes: 33)) { try P256PublicKey(x: key.x, y: [0] + key.y) }
        #expect(throws: KeyError.length(bytes: 0)) { try P256PublicKey(x: [], y: []) }
        #expect(ERR_peek_error() == 0)
    }

    @Test("an Ed25519 key and its seed have 32 bytes", arguments: [0, 31, 33, 64])
    func refusedLengths(count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        #expect(throws: KeyError.length(bytes: count)) { try Ed25519PublicKey(raw: bytes) }
        #expect(throws: KeyError.length(bytes: count)) { try Ed25519PrivateKey(seed: bytes) }
    }

    @Test("every ECDSA signature has 64 bytes and can be verified")
    func signatureLength() throws {
        let key = try P256PrivateKey.generate()
        var padded = 0
        // One signature in 128 has a number with a leading zero byte, which DER omits and JOSE does not.
        for round in 0..<2_000 {
            let message = [UInt8(round & 0xFF), UInt8(round >> 8)]
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            if signature[0] == 0 || signature[32] == 0 {
                padded += 1
                #expect(key.publicKey.isValid(signature: signature, for: message))
            }
        }
        #expect(padded > 0)
    }

    @Test("an invalid signature leaves OpenSSL's error queue empty")
    func drainsErrorQueue() throws {
        let (rsa, p256, ed25519) = (
            try RSAPrivateKey.generate(), try P256PrivateKey.generate(), try Ed25519PrivateKey.generate()
        )
        for count in [0, 1, 64, 255, 256, 257] {
            let signature = [UInt8](repeating: 0x7F, count: count)
            #expect(!rsa.publicKey.isValidPKCS1SHA256Signature(signature, for: Self.message))
            #expect(!p256.publicKey.isValid(signature: signature, for: Self.message))
            #expect(!ed25519.publicKey.isValid(signature: signature, for: Self.message))
            #expect(ERR_peek_error() == 0)
        }
    }

    @Test("a key pair can be used by several threads concurrently")
    func concurrentKeys() throws {
        let (rsa, p256, ed25519) = (
            try RSAPrivateKey.generate(), try P256PrivateKey.generate(), try Ed25519PrivateKey.generate()
        )
        let verified = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<20 {
                let message = [UInt8(thread), UInt8(round)]
                guard let signatures = try? (rsa.sign(message), p256.sign(message), ed25519.sign(message)),
                    rsa.publicKey.isValidPKCS1SHA256Signature(signatures.0, for: message),
                    p256.publicKey.isValid(signature: signatures.1, for: message),
                    ed25519.publicKey.isValid(signature: signatures.2, for: message)
                else { continue }
                verified.add(1, ordering: .relaxed)
            }
        }
        #expect(verified.load(ordering: .relaxed) == 160)
    }

    @Test("public keys that several threads make concurrently verify the signatures of their own pair alone")
    func concurrentPublicKeys() throws {
        let pairs = try (0..<8).map { _ in try P256PrivateKey.generate() }
        let signatures = try pairs.map { try $0.sign(Self.message) }
        let correct = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: pairs.count) { thread in
            let point = pairs[thread].publicKey
            for round in 0..<50 {
                guard let key = try? P256PublicKey(x: point.x, y: point.y) else { continue }
                let other = (thread + 1 + round % 7) % pairs.count
                guard key.isValid(signature: signatures[thread], for: Self.message),
                    !key.isValid(signature: signatures[other], for: Self.message)
                else { continue }
                correct.add(1, ordering: .relaxed)
            }
        }
        #expect(correct.load(ordering: .relaxed) == 400)
    }
}
