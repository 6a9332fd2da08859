import JSON

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
