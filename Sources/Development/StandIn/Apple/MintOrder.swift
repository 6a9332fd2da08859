package import DevelopmentHTTP
package import JSON

/// The contents of a login to mint. Members that are left out get the values of a usual login with Apple.
package struct MintOrder: Sendable {
    package static let defaultBundleID = "com.example.app"

    package var subject: String?
    package var audience: String
    package var nonce: String?
    package var email: String?
    package var givenName: String?
    package var familyName: String?
    /// The subject in another team, while the app is being transferred to that team.
    package var transferSubject: String?
    package var era = Era.booleans
    /// Members that replace the usual ones; `null` removes one.
    package var claims: JSONObject
    package var header: JSONObject

    package init(audience: String = Self.defaultBundleID) {
        self.audience = audience
        claims = [:]
        header = [:]
    }

    /// Reads the body of `POST /mint`. Refuses unknown members, so that typing errors are found.
    package init(_ json: JSONObject, audience: String) throws(HTTPRefusal) {
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
            default: throw HTTPRefusal.invalid("\(name): \(Self.known)")
            }
        }
    }

    private static func era(_ text: String) throws(HTTPRefusal) -> Era {
        guard let era = Era(rawValue: text) else { throw HTTPRefusal.invalid("era: \(known)") }
        return era
    }

    private static let known =
        "known are the strings sub, aud, nonce, email, givenName, familyName, transferSub, era "
        + "(\(Era.allCases.map(\.rawValue).joined(separator: ", "))) and the objects claims, header"
}

extension JSONObject {
    /// Replaces members by those of an order; `null` removes one.
    mutating func replaceMembers(by order: JSONObject) {
        for (name, value) in order.members {
            if value.isNull { self[name] = .none } else { self[name] = value }
        }
    }
}
