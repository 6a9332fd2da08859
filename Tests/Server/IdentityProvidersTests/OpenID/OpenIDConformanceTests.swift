import Gatehouse
import IdentityProviders
import JOSE
import JSON
import Testing

/// The cases of the OpenID Foundation's conformance suite for relying parties that concern an identity token, under their
/// names there.
@Suite("Conformance of the OpenID relying party")
struct OpenIDConformanceTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        var token = OpenIDLogin.token()
        var published = OpenIDLogin.keys
        var fault: IdentityFault?

        var testDescription: String { name }
    }

    private static let second = OpenIDLogin.key(.RS256, "second")

    private static func with(_ name: String, _ value: JSONValue?) -> String { OpenIDLogin.token([(name, value)]) }

    /// A token whose signature belongs to other bytes.
    private static func broken(by key: SigningKey) -> String {
        let parts = OpenIDLogin.token(by: key).split(separator: ".")
        let other = OpenIDLogin.token([("sub", "another")], by: key).split(separator: ".")
        return "\(parts[0]).\(parts[1]).\(other[2])"
    }

    private static let unsigned: String = {
        let parts = OpenIDLogin.token(header: [("alg", "none"), ("kid", nil)]).split(separator: ".")
        return "\(parts[0]).\(parts[1])."
    }()

    /// Signed with the client's secret, of which the verifier has none.
    private static let hmac: String = {
        guard let key = try? SigningKey(hmacSecret: Array(repeating: 7, count: 32), keyID: "KEY0000001") else {
            return ""
        }
        return OpenIDLogin.token(by: key)
    }()

    static let cases = [
        Case(name: "oidcc-client-test"),
        Case(name: "oidcc-client-test-idtoken-sig-rs256"),
        Case(
            name: "oidcc-client-test-kid-absent-single-jwks", token: OpenIDLogin.token(header: [("kid", nil)]),
            published: [OpenIDLogin.rsa]),
        Case(
            name: "oidcc-client-test-kid-absent-multiple-jwks", token: OpenIDLogin.token(header: [("kid", nil)]),
            published: [second, OpenIDLogin.rsa]),
        Case(name: "oidcc-client-test-invalid-iss", token: with("iss", "https://op.example/realm1"), fault: .issuer),
        Case(
            name: "oidcc-client-test-missing-sub", token: with("sub", nil),
            fault: .malformed(.unusable(.claims, member: "sub"))),
        Case(
            name: "oidcc-client-test-invalid-aud", token: with("aud", "app-ios1"),
            fault: .audience(PlainName("app-ios1"))),
        Case(name: "oidcc-client-test-missing-aud", token: with("aud", nil), fault: .audience(nil)),
        Case(
            name: "oidcc-client-test-missing-iat", token: with("iat", nil),
            fault: .malformed(.unusable(.claims, member: "iat"))),
        Case(name: "oidcc-client-test-idtoken-sig-none", token: unsigned, fault: .algorithm),
        Case(name: "oidcc-client-test-invalid-sig-rs256", token: broken(by: OpenIDLogin.rsa), fault: .signature),
        Case(name: "oidcc-client-test-invalid-sig-es256", token: broken(by: OpenIDLogin.p256), fault: .signature),
        Case(name: "oidcc-client-test-invalid-sig-hs256", token: hmac, fault: .algorithm),
        Case(name: "oidcc-client-test-nonce-invalid", token: with("nonce", "another"), fault: .nonce(.different)),
        Case(
            name: "right header and claims, signed by another key",
            token: OpenIDLogin.token(by: OpenIDLogin.key(.RS256, "KEY0000001")), fault: .signature),
    ]

    @Test("a token is accepted or refused as the suite expects", arguments: cases)
    func token(given: Case) {
        let fixture = OpenIDFixture(published: ValidLogin.bytes(ofSetWith: given.published))
        #expect(fixture.fault(given.token) == given.fault)
    }

    @Test("oidcc-client-test-signing-key-rotation: a new key is fetched once it is used")
    func signingKeyRotation() {
        let fixture = OpenIDFixture(published: ValidLogin.bytes(ofSetWith: [OpenIDLogin.rsa]))
        #expect(fixture.fault(OpenIDLogin.token()) == nil)
        fixture.publish([Self.second])
        fixture.advance(.seconds(31))
        #expect(fixture.fault(OpenIDLogin.token(by: Self.second)) == nil)
        #expect(fixture.fault(OpenIDLogin.token()) == .unknownKey, "the old key is gone")
        #expect(fixture.fetches == 2)
    }
}
