import Gatehouse
import JSON

/// Collects what a file of another product says about a user, by the rules that all such files share.
struct UserBuilder {
    var line = UserLine()
    private(set) var losses: [LostWay] = []

    init(reference: String?) {
        line.reference = reference
    }

    mutating func lose(_ way: LostWay) {
        if !losses.contains(way) { losses.append(way) }
    }

    /// The domains of Apple's private relay addresses.
    private static let relays = ["@privaterelay.appleid.com", "@private.icloud.com"]

    /// - Parameter isVerified: whether the provider has confirmed the address; nil if the file does not say.
    mutating func add(provider: String, subject: String, email: String?, isVerified: Bool?) {
        var identity = IdentityLine()
        (identity.provider, identity.subject) = (provider, subject)
        if let address = email, address.isPlausibleAddress {
            (identity.email, identity.emailVerified) = (address, isVerified)
            if provider == "apple" { identity.isPrivateEmail = Self.relays.contains { address.hasSuffix($0) } }
        }
        add(identity)
    }

    private mutating func add(_ identity: IdentityLine) {
        // The file of another product may list the same account twice.
        guard !line.identities.contains(where: { $0.provider == identity.provider }) else { return }
        line.identities.append(identity)
    }

    /// A number that was verified there.
    mutating func add(phone number: String) {
        guard let number = try? PhoneNumber(number) else { return lose(.invalidPhone) }
        var identity = IdentityLine()
        (identity.provider, identity.subject) = (Provider.phone.lowercaseName, number.text)
        add(identity)
    }

    /// A verified address, to which codes will go.
    mutating func add(verifiedEmail address: String) {
        guard let address = try? EmailAddress(address) else { return lose(.invalidEmail) }
        var identity = IdentityLine()
        (identity.provider, identity.subject) = (Provider.email.lowercaseName, address.text)
        (identity.email, identity.emailVerified) = (address.text, true)
        add(identity)
    }

    /// A name and a picture are not worth losing a user: what Gatehouse does not accept is left out.
    mutating func setProfile(name: String?, avatar: String?) {
        line.nickname = name.flatMap(Self.shortened)
        line.avatarURL = avatar.flatMap { $0.utf8.count <= 2048 && $0.isHTTPSAddress ? $0 : nil }
    }

    /// Not changed: the operator decides about what the import refuses.
    mutating func setAttributes(_ object: JSONObject) {
        if !object.isEmpty { line.attributes = Attributes(object) }
    }

    mutating func setEmail(_ address: String?, isVerified: Bool) {
        let address = address.flatMap { $0.utf8.count <= 254 && $0.isPlausibleAddress ? $0 : nil }
        line.email = .some(address)
        line.emailVerified = address != nil && isVerified
    }

    func finish() -> ConvertedUser {
        guard !line.identities.isEmpty else {
            return ConvertedUser(
                reference: line.reference, line: nil, losses: losses.isEmpty ? [.none] : losses)
        }
        return ConvertedUser(reference: line.reference, line: line, losses: losses)
    }

    private static func shortened(_ name: String) -> String? {
        var kept = ""
        for character in name where !String(character).hasControlCharacters {
            guard kept.utf8.count + character.utf8.count <= 200 else { break }
            kept.append(character)
        }
        return kept.trimmedOrNil
    }
}
