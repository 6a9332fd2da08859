import DevelopmentHTTP
import JOSE
import JSON

/// The contents of an identity token to mint: the body of `POST /openid/NAME/mint`.
struct IdentityOrder {
    static let usualAudience = "com.example.app"
    static let lifetime: Int64 = 3600

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

    init(_ json: JSONObject) throws(HTTPRefusal) {
        var order = OrderReader(json)
        subject = order.text("sub")
        audience = order.texts("aud")
        authorizedParty = order.text("azp")
        nonce = order.text("nonce")
        email = order.text("email")
        emailVerified = order.value("emailVerified") { $0.string != nil || $0 == true || $0 == false }
        hostedDomain = order.text("hd")
        name = order.text("name")
        accessToken = order.text("accessToken")
        if order.flag("accessToken") == true { accessToken = RandomText.accessToken }
        issuer = order.text("iss")
        algorithm = order.choice("alg") ?? algorithm
        isForged = order.flag("forged") ?? false
        claims = order.object("claims") ?? [:]
        header = order.object("header") ?? [:]
        guard Self.algorithms.contains(algorithm) else { throw .invalid("alg: \(Self.known)") }
        try order.end(Self.known)
        // SHA-512 would be the hash, but no specification says so.
        guard accessToken == nil || algorithm != .EdDSA else {
            throw .invalid("accessToken: at_hash is not specified for EdDSA; give it in claims")
        }
    }

    private static let algorithms: [Algorithm] = [.RS256, .ES256, .EdDSA]

    private static let known =
        "known are the texts sub, azp, nonce, email, hd, name, iss, alg "
        + "(\(algorithms.map(\.rawValue).joined(separator: ", "))), aud (a text or a list), emailVerified "
        + "(a flag or a text), accessToken (a text, or true for a new one), the flag forged and the objects claims, header"
}

extension RandomText {
    static var accessToken: String { "at." + text(32) }
}

extension Mint {
    /// The identity token of an OpenID provider.
    func token(_ order: IdentityOrder, issuer: String, now: Int64) -> String {
        var claims: JSONObject = [
            "iss": .string(order.issuer ?? issuer), "aud": order.audience ?? .string(IdentityOrder.usualAudience),
            "sub": .string(order.subject ?? RandomText.hexadecimal(12)),
        ]
        claims["azp"] = order.authorizedParty.map(JSONValue.string)
        claims["hd"] = order.hostedDomain.map(JSONValue.string)
        claims["email"] = order.email.map(JSONValue.string)
        claims["email_verified"] = order.emailVerified ?? (order.email == nil ? .none : true)
        claims["at_hash"] = order.accessToken.map(Self.halfHash)
        claims["nonce"] = order.nonce.map(JSONValue.string)
        claims["name"] = order.name.map(JSONValue.string)
        claims["iat"] = .integer(now)
        claims["exp"] = .integer(now + IdentityOrder.lifetime)
        return sign(claims.replacing(order.claims), type: "JWT", header: order.header)
    }
}

/// What is different at Google.
enum Google {
    static let name = "google"
    static let issuer = "https://accounts.google.com"
    static let usualAudience = "123456789012-abcdefghijklmnopqrstuvwxyz012345.apps.googleusercontent.com"
    static let usualClient = WebClient(id: usualAudience, secret: "GOCSPX-0123456789abcdefghijklmnopqr")
}

extension IdentityOrder {
    /// Fills in what Google's tokens have and an order leaves out.
    mutating func fillGoogleDefaults() {
        let subject = subject ?? "1" + RandomText.digits(20)
        self.subject = subject
        let audience = audience ?? .string(Google.usualAudience)
        self.audience = audience
        authorizedParty = authorizedParty ?? audience.string
        email = email ?? "user." + RandomText.text(8, for: subject).lowercased() + "@" + (hostedDomain ?? "gmail.com")
        let name = name ?? "Ann Example"
        self.name = name
        var usual: JSONObject = [
            "picture": "https://lh3.googleusercontent.com/a/default-user=s96-c",
            "given_name": .string(String(name.prefix { $0 != " " })),
        ]
        let family = name.drop { $0 != " " }.dropFirst()
        if !family.isEmpty { usual["family_name"] = .string(String(family)) }
        // What the order says of a claim counts, also that it is removed.
        for (name, value) in claims.members { usual[name] = value }
        claims = usual
    }
}
