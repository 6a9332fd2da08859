import DevelopmentHTTP
import JOSE
import JSON

/// The contents of an identity token to mint: the body of `POST /openid/NAME/mint`.
struct IdentityOrder {
    static let usualAudience = "com.example.app"

    var subject: String?
    /// A text or a list of texts.
    var audience: JSONValue?
    var authorizedParty: String?
    var nonce: String?
    var email: String?
    /// A flag, or a text as some providers write it.
    var emailVerified: JSONValue?
    var hostedDomain: String?
    var name: String?
    /// Its hash is in the token.
    var accessToken: String?
    var algorithm = Algorithm.RS256
    var issuer: String?
    /// Whether the token is signed by another key, with the key id of the right one.
    var isForged = false
    /// Members that replace the usual ones; `null` removes one.
    var claims: JSONObject = [:]
    var header: JSONObject = [:]

    init() {}

    /// Refuses unknown members, so that typing errors are found.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        for (name, value) in json.members {
            guard try takeText(name, value) || takeOther(name, value) else { throw Self.refusal(name) }
        }
        // SHA-512 would be the hash, but no specification says so.
        guard accessToken == nil || algorithm != .EdDSA else {
            throw .invalid("accessToken: at_hash is not specified for EdDSA; give it in claims")
        }
    }

    private mutating func takeText(_ name: String, _ value: JSONValue) throws(HTTPRefusal) -> Bool {
        guard let text = value.string else { return false }
        switch name {
        case "sub": subject = text
        case "azp": authorizedParty = text
        case "nonce": nonce = text
        case "email": email = text
        case "hd": hostedDomain = text
        case "name": self.name = text
        case "accessToken": accessToken = text
        case "iss": issuer = text
        case "alg": algorithm = try Self.algorithm(text)
        default: return false
        }
        return true
    }

    private mutating func takeOther(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("aud", .string): audience = value
        case ("aud", .array(let list)) where list.allSatisfy({ $0.string != nil }): audience = value
        case ("emailVerified", .bool), ("emailVerified", .string): emailVerified = value
        case ("accessToken", .bool(let isWanted)): accessToken = isWanted ? "at." + RandomText.text(32) : nil
        case ("forged", .bool(let flag)): isForged = flag
        case ("claims", .object(let members)): claims = members
        case ("header", .object(let members)): header = members
        default: return false
        }
        return true
    }

    private static let algorithms: [Algorithm] = [.RS256, .ES256, .EdDSA]

    private static func algorithm(_ text: String) throws(HTTPRefusal) -> Algorithm {
        guard let algorithm = Algorithm(rawValue: text), algorithms.contains(algorithm) else { throw refusal("alg") }
        return algorithm
    }

    private static func refusal(_ name: String) -> HTTPRefusal {
        .invalid(
            "\(name): known are the texts sub, azp, nonce, email, hd, name, iss, alg "
                + "(\(algorithms.map(\.rawValue).joined(separator: ", "))), aud (a text or a list), emailVerified "
                + "(a flag or a text), accessToken (a text, or true for a new one), the flag forged and the objects "
                + "claims, header")
    }
}
