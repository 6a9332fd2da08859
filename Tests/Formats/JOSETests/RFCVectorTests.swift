import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Examples of the RFCs")
struct RFCVectorTests {
    private static let claims = #"{"iss":"joe",\#r\#n "exp":1300819380,\#r\#n "http://example.com/is_root":true}"#

    private static let encodedClaims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// The appendices A.1 to A.3 sign the claims of RFC 7519, section 3.1.
    private func expectClaims(_ token: String, verifiedBy jwk: String) throws {
        let token = try CompactJWS(token)
        try token.verify(with: VerificationKey(jwk: JSONObject(jwk), allowingSymmetric: true))
        #expect(String(decoding: token.payload, as: UTF8.self) == Self.claims)
        #expect(try token.claims() == ["iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true])
    }

    @Test("RFC 7515, appendix A.1 and RFC 7519, section 3.1: HS256")
    func hs256() throws {
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.encodedClaims).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let secret = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        try expectClaims(token, verifiedBy: #"{"kty":"oct","k":"\#(secret)"}"#)
        let parsed = try CompactJWS(token)
        #expect(parsed.algorithmName == "HS256")
        #expect(parsed.type == "JWT")
        #expect(parsed.keyID == nil)
        let key = try SigningKey(hmacSecret: try #require(Base64URL.decode(secret)))
        #expect(try key.sign(parsed.signingInput) == parsed.signature)
    }

    @Test("RFC 7515, appendix A.2: RS256")
    func rs256() throws {
        let modulus = """
            ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2\
            lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTB\
            EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kz\
            k2PAcDTW9gb54h4FRWyuXpoQ
            """
        let signature = """
            cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9\
            CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOL\
            n6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtV\
            rBp0igcN_IoypGlUPQGe77Rw
            """
        try expectClaims(
            "eyJhbGciOiJSUzI1NiJ9.\(Self.encodedClaims).\(signature)",
            verifiedBy: #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#)
    }

    @Test("RFC 7515, appendix A.3: ES256")
    func es256() throws {
        let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let jwk = """
            {"kty":"EC","crv":"P-256",
             "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
             "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
            """
        try expectClaims("eyJhbGciOiJFUzI1NiJ9.\(Self.encodedClaims).\(signature)", verifiedBy: jwk)
    }

    @Test("RFC 8037, appendices A.1 to A.5: Ed25519 is signed, verified and named")
    func ed25519() throws {
        let seed = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
        let key = try SigningKey(Ed25519PrivateKey(seed: seed))
        let jwk = try #require(key.publicJWK)
        #expect(jwk["x"] == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
        #expect(key.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")

        let token = try CompactJWS.sign(payload: Array("Example of Ed25519 signing".utf8), header: [:], with: key)
        let expected = """
            eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijc\
            NR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
            """
        #expect(token == expected)
        try CompactJWS(expected).verify(with: VerificationKey(jwk: jwk))
    }

    @Test("RFC 7638, section 3.1: the thumbprint of an RSA key")
    func thumbprint() throws {
        let jwk = try JSONObject(
            """
            {"kty":"RSA",
             "n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCi\
            FV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d\
            0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-cs\
            FCur-kEgU8awapJzKnqDKgw",
             "e":"AQAB","alg":"RS256","kid":"2011-04-29"}
            """)
        #expect(try JWKThumbprint.compute(of: jwk) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }
}
