extension LineCheck {
    /// The ways to sign in of a line. A line without any is refused: the user could never sign in.
    mutating func identities(of line: UserLine) -> [ImportedIdentity] {
        guard line.identities.count <= ImportRules.mostIdentities else {
            reject("identities", "must have at most \(ImportRules.mostIdentities) entries")
            return []
        }
        let before = faults.count
        var found: [ImportedIdentity] = []
        for (index, identity) in line.identities.enumerated() {
            guard let read = self.identity(identity, "identities[\(index)].") else { continue }
            add(read, "identities[\(index)].provider", to: &found)
        }
        if let number = line.phone, let phone = phone(number, "phone") {
            let identity = Identity(provider: .phone, subject: phone, email: nil)
            add(ImportedIdentity(identity: identity, linkedAt: nil), "phone", to: &found)
        }
        if found.isEmpty, faults.count == before {
            reject("identities", "must have an entry, or the user has no way to sign in")
        }
        return found
    }

    /// A user has one account at a provider. A second entry with the same subject, such as `phone` beside its identity, adds
    /// nothing.
    private mutating func add(_ identity: ImportedIdentity, _ member: String, to found: inout [ImportedIdentity]) {
        guard let same = found.first(where: { $0.identity.provider == identity.identity.provider }) else {
            return found.append(identity)
        }
        guard !same.identity.subject.hasSameBytes(as: identity.identity.subject) else { return }
        reject(member, "must not occur twice with two subjects: a user has one account at a provider")
    }

    private mutating func identity(_ line: IdentityLine, _ place: String) -> ImportedIdentity? {
        guard let provider = provider(line.provider, place + "provider"),
            let subject = subject(line, of: provider, place + "subject")
        else { return nil }
        var identity = Identity(provider: provider, subject: subject, email: address(line.email, place + "email"))
        identity.emailVerified = line.emailVerified
        identity.isPrivateEmail = line.isPrivateEmail
        identity.transferSubject = name(line.transferSubject, place + "transferSub")
        identity.unionSubject = name(line.unionSubject, place + "unionSub")
        if provider == .email { checkProven(&identity, place) }
        if provider != .apple, identity.transferSubject != nil {
            reject(place + "transferSub", "must only be given for apple")
        }
        return ImportedIdentity(identity: identity, linkedAt: time(line.linkedAt, place + "linkedAt"))
    }

    /// An account at `EMAIL` lets the reader of the mailbox sign in, so its address has to be proven. With an unproven
    /// address, the owner of the mailbox would sign in as the user of another party, who may still have another way in.
    private mutating func checkProven(_ identity: inout Identity, _ place: String) {
        if identity.emailVerified == false {
            reject(place + "emailVerified", "must not be false: a way to sign in needs a proven address")
        }
        identity.email = identity.subject
        identity.emailVerified = true
    }

    private mutating func provider(_ text: String?, _ member: String) -> Provider? {
        guard let text else {
            reject(member, "is required")
            return nil
        }
        guard let provider = Provider(anyCase: text) else {
            reject(member, "must be the name of a provider")
            return nil
        }
        guard provider.rawValue != "PASSKEY" else {
            reject(member, "must not be passkey: a passkey cannot be moved")
            return nil
        }
        return provider
    }

    private mutating func subject(_ line: IdentityLine, of provider: Provider, _ member: String) -> String? {
        guard let text = line.subject, !text.isEmpty else {
            reject(member, line.subject == nil ? "is required" : "must not be empty")
            return nil
        }
        switch provider {
        case .phone: return phone(text, member)
        case .email:
            do throws(AddressFault) { return try EmailAddress(text).text } catch {
                reject(member, error.explanation)
                return nil
            }
        default: return name(text, member)
        }
    }

    /// A subject is kept byte for byte: the provider will send the same one.
    private mutating func name(_ text: String?, _ member: String) -> String? {
        guard let text else { return nil }
        guard (1...ImportRules.longestSubject).contains(text.utf8.count), !text.hasControlCharacters else {
            reject(member, "must be 1 to \(ImportRules.longestSubject) bytes without control characters")
            return nil
        }
        return text
    }

    private mutating func phone(_ text: String, _ member: String) -> String? {
        do throws(AddressFault) { return try PhoneNumber(ofAnyKind: text).text } catch {
            reject(member, error.explanation)
            return nil
        }
    }
}
