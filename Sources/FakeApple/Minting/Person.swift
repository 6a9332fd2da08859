import JSON

/// Somebody's account with Apple, as one app gets to see it.
struct Person: Sendable, Equatable {
    let subject: String
    let audience: String
    /// Nil for somebody who hides it.
    let email: String?
    let era: Era

    /// What every identity token says of them, whichever way it is given out.
    func claims(now: Int64) -> JSONObject {
        var claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": .string(audience), "exp": .integer(now + era.lifetime),
            "iat": .integer(now), "sub": .string(subject), "email": .string(email ?? Self.relayAddress(of: subject)),
            "email_verified": flag(true),
        ]
        // While flags were words, this one was left out rather than said to be false.
        if era == .booleans || email == nil { claims["is_private_email"] = flag(email == nil) }
        if era == .words { claims["real_user_status"] = 2 }
        if era != .launch { claims["nonce_supported"] = true }
        return claims
    }

    /// The address behind which Apple hides somebody's own.
    static func relayAddress(of subject: String) -> String {
        subject.suffix(8).filter(\.isHexDigit) + "@privaterelay.appleid.com"
    }

    private func flag(_ value: Bool) -> JSONValue {
        era == .booleans ? .bool(value) : .string(value ? "true" : "false")
    }
}

extension Person {
    var json: JSONObject {
        [
            "sub": .string(subject), "aud": .string(audience), "email": email.map(JSONValue.string) ?? .null,
            "era": .string(era.rawValue),
        ]
    }

    /// Nil for what `json` did not write.
    init?(_ json: JSONObject) {
        guard let subject = json["sub"]?.string, let audience = json["aud"]?.string,
            let era = json["era"]?.string.flatMap(Era.init(rawValue:))
        else { return nil }
        self.init(subject: subject, audience: audience, email: json["email"]?.string, era: era)
    }
}
