import AppleID
import Gatehouse
import JOSE
import JSON
import Testing

@Suite("The signature of an identity token")
struct SignatureTests {
    private let input: String
    private let signature: [UInt8]

    init() throws {
        let jws = try CompactJWS(Genuine.token)
        input = String(decoding: jws.signingInput, as: UTF8.self)
        signature = jws.signature
    }

    private func token(signedWith signature: [UInt8]) -> String {
        input + "." + Base64URL.encode(signature)
    }

    @Test("a signature of any other length is refused")
    func lengths() {
        for count in [0, 1, 128, 255] {
            expectRefusal(token(signedWith: Array(signature.prefix(count))), .signature, .afterTheKey)
        }
        let zero: [UInt8] = [0]
        expectRefusal(token(signedWith: signature + zero), .signature, .afterTheKey)
        expectRefusal(token(signedWith: zero + signature), .signature, .afterTheKey)
        expectRefusal(token(signedWith: Array(repeating: 0, count: 256)), .signature, .afterTheKey)
        expectRefusal(token(signedWith: Array(repeating: 0xFF, count: 256)), .signature, .afterTheKey)
    }

    @Test("a signature with one bit turned is refused")
    func bits() {
        for index in stride(from: 0, to: signature.count, by: 15) {
            var turned = signature
            turned[index] ^= 1 << (index % 8)
            expectRefusal(token(signedWith: turned), .signature, .afterTheKey)
        }
    }

    @Test("claims that were changed after signing are refused")
    func changedClaims() {
        let changed = Forge.claim("sub", "somebody.else").split(separator: ".")[..<2].joined(separator: ".")
        expectRefusal(changed + "." + Base64URL.encode(signature), .signature, .afterTheKey)
    }

    @Test("a signature by another key is refused, also where that key is Apple's under another name")
    func otherKeys() {
        expectRefusal(Forge.token(by: Genuine.forgersKey), .signature, .afterTheKey)
        expectRefusal(Forge.token(by: Genuine.secondKey), .signature, .afterTheKey)
        var header = Genuine.header
        header["kid"] = "KEY0000002"
        expectRefusal(Forge.token(header: header.description), .signature, .afterTheKey)
        expectAcceptance(Forge.token(header: header.description, by: Genuine.secondKey))
    }

    @Test("bad signatures in any number cause no fetch")
    func noFetch() {
        let desk = Desk(policy: .ofTests, isWarm: true)
        let forged = AppleCredential(identityToken: Forge.token(by: Genuine.forgersKey))
        for _ in 0..<100 { #expect(desk.judge(forged) == .refused(.appleToken(.signature))) }
        #expect(desk.fetches == 0)
    }

    @Test(
        "a key that is too small or for something else is not Apple's key", arguments: ["use", "alg", "kty", "key_ops"])
    func unusableKeys(member: String) throws {
        var jwk = try #require(Genuine.key.publicJWK)
        let others: JSONObject = ["use": "enc", "alg": "RS512", "kty": "oct", "key_ops": ["sign"]]
        jwk[member] = others[member]
        let second = try #require(Genuine.secondKey.publicJWK)
        let set: JSONObject = ["keys": [.object(jwk), .object(second)]]
        let desk = Desk(policy: .ofTests, isWarm: true) { set.bytes }
        #expect(desk.judge(AppleCredential(identityToken: Genuine.token)) == .refused(.appleToken(.unknownKey)))
    }

    @Test("a login that nobody can judge is not refused for good")
    func unavailable() {
        let broken: [[UInt8]?] = [nil, [], Array("{}".utf8), Array(#"{"keys":[]}"#.utf8), Array("<html>".utf8)]
        for answer in broken {
            let desk = Desk(policy: .ofTests, isWarm: false) { () throws(KeySetFault) in
                guard let answer else { throw KeySetFault("down") }
                return answer
            }
            for _ in 0..<3 {
                #expect(desk.judge(AppleCredential(identityToken: Genuine.token)) == .refused(.appleKeysUnavailable))
            }
            #expect(desk.fetches == 1)
        }
    }
}
