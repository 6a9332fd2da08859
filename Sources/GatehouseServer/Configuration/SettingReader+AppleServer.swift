import AppleID
import JOSE

extension SettingReader {
    /// How Apple's endpoints are reached, where it is set who we are.
    mutating func appleServer() -> (isSet: Bool, settings: AppleServerSettings?) {
        let addresses = AppleAddresses(token: appleTokenURL(), revocation: appleRevokeURL())
        let (isSet, secrets) = clientSecrets()
        return (isSet, secrets.map { AppleServerSettings(addresses: addresses, secrets: $0) })
    }

    /// Every address at which Apple is asked, with the setting that says so.
    mutating func appleAddresses() -> [(name: String, url: String)] {
        [
            ("APPLE_JWKS_URL", appleKeysURL()), ("APPLE_TOKEN_URL", appleTokenURL()),
            ("APPLE_REVOKE_URL", appleRevokeURL()),
        ]
    }

    private mutating func appleTokenURL() -> String {
        fetchURL("APPLE_TOKEN_URL", default: "https://appleid.apple.com/auth/token")
    }

    private mutating func appleRevokeURL() -> String {
        fetchURL("APPLE_REVOKE_URL", default: "https://appleid.apple.com/auth/revoke")
    }

    /// What proves to Apple's servers who we are: all three parts of it, or none.
    private mutating func clientSecrets() -> (isSet: Bool, secrets: ClientSecrets?) {
        let names = ["APPLE_TEAM_ID", "APPLE_KEY_ID", "APPLE_PRIVATE_KEY"]
        let settings = names.map { attempt($0) }
        guard settings.contains(where: \.isSet) else { return (false, nil) }
        for (name, setting) in zip(names, settings) where !setting.isSet {
            noteMissing(name, "\(names.joined(separator: ", ")) go together")
        }
        let teamID = settings[0].text.flatMap { identifier(names[0], $0) }
        let keyID = settings[1].text.flatMap { identifier(names[1], $0) }
        let pem = settings[2].text
        // A key is judged also where its name is no good: all faults are told at once.
        guard let key = pem.flatMap({ developerKey(names[2], $0, keyID: keyID) }), let teamID, keyID != nil else {
            return (true, nil)
        }
        return (true, ClientSecrets(teamID: teamID, key: key))
    }

    /// Ten capitals and digits, as far as anybody has seen.
    private mutating func identifier(_ name: String, _ text: String) -> String? {
        if text.wholeMatch(of: /[A-Za-z0-9_]{1,64}/) != nil { return text }
        note(name, "must be the ten characters that Apple shows for it")
        return nil
    }

    private mutating func developerKey(_ name: String, _ pem: String, keyID: String?) -> SigningKey? {
        let fault = "must be one private key in PEM (PKCS #8), P-256, as it stands in Apple's .p8 file"
        return keyPair(SettingKey(name: name, text: pem), for: [.ES256], keyID: keyID, otherwise: fault)
    }
}
