/// Checks a line and collects all of its faults.
struct LineCheck {
    private let rules: ImportRules
    private(set) var faults: [LineFault] = []

    init(_ rules: ImportRules) {
        self.rules = rules
    }

    mutating func reject(_ member: String?, _ explanation: String) {
        faults.append(LineFault(member, explanation))
    }

    /// An id is kept only in its exact form: other services refer to it, and ids sort by creation time.
    mutating func id(_ text: String?) -> UserID? {
        guard let text else { return nil }
        guard ULID.isOne(text, "user") else {
            reject("id", "must be an id of Gatehouse, such as user_01J00000000000000000000000")
            return nil
        }
        return UserID(text)
    }

    /// A short text without control characters; nil when it is empty or not valid.
    mutating func text(_ text: String?, _ member: String, atMost limit: Int) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= limit else {
            reject(member, "must be at most \(limit) bytes")
            return nil
        }
        guard !text.hasControlCharacters else {
            reject(member, "must not contain control characters")
            return nil
        }
        return text.trimmedOrNil
    }

    /// The address as the provider states it. It is not converted: addresses are compared without regard to case.
    mutating func address(_ text: String?, _ member: String) -> String? {
        guard let text = self.text(text, member, atMost: EmailAddress.longest) else { return nil }
        // As a login does, which stores what the provider states: the part before the last @ may contain another one.
        let at = UInt8(ascii: "@")
        if !text.utf8.dropFirst().dropLast().contains(at) { reject(member, "must be an email address") }
        return text
    }

    mutating func avatar(_ text: String?) -> String? {
        guard let text = self.text(text, "avatarUrl", atMost: ImportRules.longestURL) else { return nil }
        if !text.isHTTPSAddress { reject("avatarUrl", "must be an https URL") }
        return text
    }

    mutating func role(_ text: String?) -> Role {
        guard let text else { return .user }
        guard let role = Role(rawValue: text) else {
            reject("role", "must be one of " + Role.allCases.map(\.rawValue).joined(separator: ", "))
            return .user
        }
        if role != .user, !rules.permitsRoles { reject("role", "must be USER: another one needs --roles") }
        return role
    }

    mutating func attributes(_ given: Attributes?) -> Attributes {
        guard let given else { return .none }
        for fault in rules.attributes.faults(of: given) {
            reject((["attributes"] + (fault.member.map { [$0] } ?? [])).joined(separator: "."), fault.explanation)
        }
        let roles = rules.attributes.roles.isEmpty ? [] : given.texts(of: AttributePolicy.roles) ?? []
        if !roles.isEmpty, !rules.permitsRoles { reject("attributes.roles", "must be empty: any role needs --roles") }
        return given
    }

    mutating func status(_ text: String?) -> UserStatus {
        guard let text else { return .active }
        guard let status = UserStatus(rawValue: text), status != .deleted else {
            reject("status", "must be ACTIVE or DISABLED")
            return .active
        }
        return status
    }

    mutating func time(_ text: String?, _ member: String) -> Timestamp? {
        guard let text else { return nil }
        guard let moment = Timestamp(imported: text) else {
            reject(member, "must be a time such as 2026-11-21T10:00:00Z")
            return nil
        }
        if moment.milliseconds < 0 || moment > rules.now + ImportRules.clockTolerance {
            reject(member, "must be between 1970 and now")
        }
        return moment
    }
}

extension ULID {
    /// Whether a text is an id as `make` makes it.
    static func isOne(_ text: String, _ prefix: String) -> Bool {
        let digits = text.utf8.dropFirst(prefix.utf8.count + 1)
        // 26 digits of five bits hold 130: the first one is at most 7.
        return text.hasPrefix(prefix + "_") && digits.count == 26 && digits.first! <= UInt8(ascii: "7")
            && digits.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "I"), UInt8(ascii: "L"), UInt8(ascii: "O"), UInt8(ascii: "U"): false
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }
}

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
        return ImportedIdentity(
            identity: identity, linkedAt: time(line.linkedAt, place + "linkedAt"),
            passkeys: passkeys(of: line, provider, place + "passkeys"))
    }

    /// An identity at `PASSKEY` has at least one, and no other has any.
    private mutating func passkeys(of line: IdentityLine, _ provider: Provider, _ member: String) -> [Passkey] {
        guard provider == .passkey else {
            if !line.passkeys.isEmpty { reject(member, "must only be given for passkey") }
            return []
        }
        guard (1...Passkey.most).contains(line.passkeys.count) else {
            reject(member, "must have 1 to \(Passkey.most) entries")
            return []
        }
        return line.passkeys.enumerated().map { index, line in
            let place = "\(member)[\(index)]."
            if !(0...Int64(UInt32.max)).contains(line.signCount ?? 0) {
                reject(place + "signCount", "must be a number of 32 bits")
            }
            return Passkey(
                id: "", credentialID: line.credentialID, publicKey: line.publicKey, algorithm: line.algorithm,
                signCount: line.signCount ?? 0, transports: line.transports,
                isBackupEligible: line.backupEligible ?? false, isBackedUp: line.backedUp ?? false,
                aaguid: line.aaguid, name: text(line.name, place + "name", atMost: 200),
                createdAt: time(line.createdAt, place + "createdAt") ?? rules.now,
                lastUsedAt: time(line.lastUsedAt, place + "lastUsedAt"))
        }
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
