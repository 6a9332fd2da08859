import JOSE
import JSON

/// Signs security event tokens as Google does: RFC 8417.
struct SecurityEventMint {
    /// How much of a token the form `prefix` shows.
    private static let prefixLength = 16

    let key: SigningKey
    let issuer: String

    func event(_ order: SecurityEventOrder, now: Int64) throws -> String {
        let claims: JSONObject = [
            "iss": .string(order.issuer ?? writtenIssuer), "aud": order.audience ?? .string(Google.usualAudience),
            "iat": .integer(now), "jti": .string(order.identifier ?? RandomText.hexadecimal(16)),
            "events": .object(JSONObject([(order.address, .object(content(order)))])),
        ]
        return try ForgeableToken.sign(
            claims.replacing(order.claims), header: ["typ": "secevent+jwt"], changes: order.header, with: key)
    }

    /// Google's documentation writes the issuer of events with a slash at its end, unlike that of identity tokens.
    private var writtenIssuer: String { issuer.hasSuffix("/") ? issuer : issuer + "/" }

    private func content(_ order: SecurityEventOrder) -> JSONObject {
        guard !order.isVerification else { return ["state": .string(order.state ?? RandomText.hexadecimal(8))] }
        var content: JSONObject = ["subject": .object(subject(order))]
        content["reason"] = order.reason.map(JSONValue.string)
        content["state"] = order.state.map(JSONValue.string)
        return content
    }

    private func subject(_ order: SecurityEventOrder) -> JSONObject {
        let type = order.chosenSubjectType
        var subject: JSONObject = ["subject_type": .string(type.rawValue)]
        guard type != .token else {
            subject["token_type"] = "refresh_token"
            subject["token_identifier_alg"] = "prefix"
            subject["token"] = .string(String((order.token ?? RandomText.text(24)).prefix(Self.prefixLength)))
            return subject
        }
        subject["iss"] = .string(order.issuer ?? writtenIssuer)
        subject["sub"] = .string(order.subject ?? "1" + RandomText.digits(20))
        if type == .claims { subject["email"] = order.email.map(JSONValue.string) }
        return subject
    }
}
