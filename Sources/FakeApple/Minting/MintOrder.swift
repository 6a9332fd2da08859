package import JSON

/// What an identity token is to say. Whatever is left out is as a login with Apple would have it.
package struct MintOrder: Sendable {
    package static let defaultBundleID = "com.example.app"

    package var subject: String?
    package var audience: String
    package var nonce: String?
    package var email: String?
    package var givenName: String?
    package var familyName: String?
    /// Whom another team knows this person as, while an app is being transferred to that team.
    package var transferSubject: String?
    package var era = Era.booleans
    /// Members that replace whatever else would be there; `null` takes one away.
    package var claims: JSONObject
    package var header: JSONObject

    package init(audience: String = Self.defaultBundleID) {
        self.audience = audience
        claims = [:]
        header = [:]
    }

    /// Reads the body of `POST /mint`. Members that mean nothing are refused, so that a slip of the pen shows.
    package init(_ json: JSONObject, audience: String) throws(MintFault) {
        self.init(audience: audience)
        for (name, value) in json.members {
            switch (name, value) {
            case ("sub", .string(let text)): subject = text
            case ("aud", .string(let text)): self.audience = text
            case ("nonce", .string(let text)): nonce = text
            case ("email", .string(let text)): email = text
            case ("givenName", .string(let text)): givenName = text
            case ("familyName", .string(let text)): familyName = text
            case ("transferSub", .string(let text)): transferSubject = text
            case ("era", .string(let text)): era = try Self.era(text)
            case ("claims", .object(let members)): claims = members
            case ("header", .object(let members)): header = members
            default: throw MintFault(name: name, known: Self.known)
            }
        }
    }

    private static func era(_ text: String) throws(MintFault) -> Era {
        guard let era = Era(rawValue: text) else { throw MintFault(name: "era", known: known) }
        return era
    }

    private static let known =
        "known are the strings sub, aud, nonce, email, givenName, familyName, transferSub, era "
        + "(\(Era.allCases.map(\.rawValue).joined(separator: ", "))) and the objects claims, header"
}
