import IdentityProviders
import JOSE

extension SettingParser where Value == String {
    /// The issuer of identity tokens, below which its metadata is.
    static var issuer: Self { address("an https URL without a query, or an http URL of this machine") { $0 } }

    /// An address to which paths are appended.
    static var baseURL: Self {
        address("an https URL without a query, or an http URL of this machine") { url in
            url.hasSuffix("/") ? String(url.dropLast()) : url
        }
    }

    private static func address(_ format: String, _ value: @escaping @Sendable (String) -> String) -> Self {
        let url = fetchURL
        return Self(format) { text in
            var faults: [String] = []
            guard !text.contains("?"), !text.contains("#") else { return nil }
            return url.parse(text, &faults).map(value)
        }
    }

    static var appID: Self {
        Self("up to 64 letters, digits, - and _") { text in
            text.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) == nil ? nil : text
        }
    }

    /// The provider makes it, so its strength is not ours to judge.
    static var appSecret: Self {
        Self("up to 256 printable ASCII characters without blanks") { text in
            (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
        }
    }
}

extension SettingParser where Value == [Algorithm] {
    /// Algorithms whose public keys a provider can publish.
    static var publicKeyAlgorithms: Self {
        let known: [Algorithm] = [.RS256, .ES256, .EdDSA]
        return Self("a list of " + known.map(\.rawValue).joined(separator: ", ") + " separated by commas") { text in
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
                String($0).trimmingWhiteSpace
            }
            let algorithms = names.compactMap { name in known.first { $0.rawValue == name } }
            return algorithms.count == names.count ? algorithms : nil
        }
    }
}

extension SettingParser where Value == [RequiredClaim] {
    /// A claim has one value, so one that is named twice could never have both.
    static var requiredClaims: Self {
        Self("a list of claim=value separated by commas, each claim once") { text in
            let entries = text.split(separator: ",", omittingEmptySubsequences: false)
            let claims = entries.compactMap { RequiredClaim(setting: String($0)) }
            return claims.count == entries.count && Set(claims.map(\.name)).count == claims.count ? claims : nil
        }
    }
}

extension RequiredClaim {
    /// Reads `claim=value`.
    fileprivate init?(setting text: String) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let name = String(text[..<equals]).trimmingWhiteSpace
        let value = String(text[text.index(after: equals)...]).trimmingWhiteSpace
        guard !name.isEmpty, !value.isEmpty else { return nil }
        self.init(name: name, value: value)
    }
}
