import COpenSSL
import OpenSSL
import TestSupport
import Testing

@Suite("Private keys in PEM")
struct PEMTests {
    @Test(
        "a P-256 key is read in each of its formats",
        arguments: [
            PEMFixtures.p256, PEMFixtures.p256SEC1, PEMFixtures.p256AfterParameters,
            "Bag Attributes: none\n\n" + PEMFixtures.p256 + "\n\ntrailing text\n",
            PEMFixtures.p256.split(separator: "\n").joined(separator: "\r\n"),
        ])
    func readsP256(pem: String) throws {
        guard case .p256(let key) = try PrivateKeyPEM(pem) else { throw UnexpectedKind() }
        #expect(key.publicKey.isValid(signature: try key.sign([1]), for: [1]))
    }

    /// OpenSSL takes the oldest error of the thread for its own, and stops at a block before the key.
    @Test("a key after its parameters is read on a thread where another call has failed")
    func readsAfterFailure() throws {
        _ = unsafe BIO_new_file("/nonexistent/file", "r")
        #expect(ERR_peek_error() != 0)
        try readsP256(pem: PEMFixtures.p256AfterParameters)
    }

    @Test("an RSA key is the same in both formats")
    func readsRSA() throws {
        guard case .rsa(let key) = try PrivateKeyPEM(PEMFixtures.rsa2048),
            case .rsa(let older) = try PrivateKeyPEM(PEMFixtures.rsa2048PKCS1)
        else { throw UnexpectedKind() }
        #expect(key.modulus == older.modulus)
        #expect(key.modulus.count == 256)
        #expect(key.exponent == [1, 0, 1])
        #expect(older.publicKey.isValidPKCS1SHA256Signature(try key.sign([1]), for: [1]))
    }

    @Test("an Ed25519 key is read")
    func readsEd25519() throws {
        guard case .ed25519(let key) = try PrivateKeyPEM(PEMFixtures.ed25519) else { throw UnexpectedKind() }
        #expect(key.publicKey.isValid(signature: try key.sign([1]), for: [1]))
    }

    @Test("a key is written as PKCS #8, identical to the output of the openssl command")
    func writesPKCS8() throws {
        guard case .p256(let p256) = try PrivateKeyPEM(PEMFixtures.p256SEC1),
            case .rsa(let rsa) = try PrivateKeyPEM(PEMFixtures.rsa2048PKCS1),
            case .ed25519(let ed25519) = try PrivateKeyPEM(PEMFixtures.ed25519)
        else { throw UnexpectedKind() }
        #expect(p256.pem == PEMFixtures.p256 + "\n")
        #expect(rsa.pem == PEMFixtures.rsa2048 + "\n")
        #expect(ed25519.pem == PEMFixtures.ed25519 + "\n")
    }

    /// By default OpenSSL would ask for a passphrase on the terminal and wait.
    @Test(
        "an encrypted key is rejected without asking for a passphrase", .timeLimit(.minutes(1)),
        arguments: [PEMFixtures.p256Encrypted, PEMFixtures.p256EncryptedSEC1, PEMFixtures.p256EncryptedWithNothing])
    func refusesEncrypted(pem: String) {
        #expect(throws: KeyError.encrypted) { try PrivateKeyPEM(pem) }
        #expect(ERR_peek_error() == 0)
    }

    @Test(
        "a key of an unsupported type is rejected, and the type is named",
        arguments: [
            (PEMFixtures.p384, "EC secp384r1"), (PEMFixtures.secp256k1, "EC secp256k1"), (PEMFixtures.x25519, "X25519"),
            (PEMFixtures.ed448, "ED448"), (PEMFixtures.rsaPSS, "RSA-PSS"),
        ])
    func refusesOtherKinds(pem: String, kind: String) {
        #expect(throws: KeyError.unsupported(kind: kind)) { try PrivateKeyPEM(pem) }
        #expect(ERR_peek_error() == 0)
    }

    @Test("a weak RSA key is rejected")
    func refusesWeakRSA() {
        #expect(throws: KeyError.modulusSize(bits: 1024)) { try PrivateKeyPEM(PEMFixtures.rsa1024) }
        #expect(throws: KeyError.modulusSize(bits: 1024)) { try RSAPrivateKey.generate(bits: 1024) }
    }

    @Test("a private key with another public key is rejected")
    func refusesMismatch() {
        #expect(throws: KeyError.inconsistent) { try PrivateKeyPEM(PEMFixtures.p256Mismatched) }
        #expect(ERR_peek_error() == 0)
    }

    @Test(
        "a text without a private key is rejected",
        arguments: [
            "", "secret", PEMFixtures.p256Public, String(PEMFixtures.p256.dropLast(30)),
            PEMFixtures.p256.replacing("PRIVATE KEY", with: "CERTIFICATE"),
            PEMFixtures.p256.replacing("MIGH", with: "MIGI"),
            "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        ])
    func refusesOtherTexts(pem: String) {
        #expect(throws: KeyError.notPEM) { try PrivateKeyPEM(pem) }
        #expect(ERR_peek_error() == 0)
    }

    private struct UnexpectedKind: Error {}
}
