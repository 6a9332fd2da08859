package import Gatehouse
import JSON

/// A line of JSON, as far as it could be read.
package struct ReadLine: Sendable {
    package var line = UserLine()
    /// Of the JSON and its types. Whether the values are valid is for the domain to say.
    package var faults: [LineFault] = []
    /// It has members of names that Gatehouse does not know, such as misspelt ones.
    package var hasUnknownMembers = false

    package init(_ split: LineSplitter.Line) {
        guard case .bytes(let bytes) = split else {
            faults = [LineFault(nil, "the line must be at most \(LineSplitter.longestLine) bytes")]
            return
        }
        do throws(JSONError) {
            guard let object = try JSONValue(parsing: bytes).object else {
                faults = [LineFault(nil, "the line must be a JSON object")]
                return
            }
            read(object)
        } catch {
            // It contains no part of the line.
            faults = [LineFault(nil, "the line is \(error)")]
        }
    }

    /// The user; nil if the line has faults, which are then complete.
    package mutating func user(by rules: ImportRules) -> ImportedUser? {
        guard faults.allSatisfy({ $0.member != nil }) else { return nil }
        do throws(LineFaults) {
            let user = try line.checked(by: rules)
            return faults.isEmpty ? user : nil
        } catch {
            let known = Set(faults.map(\.member))
            faults += error.faults.filter { !known.contains($0.member) }
            return nil
        }
    }

    private mutating func read(_ object: JSONObject) {
        var members = MemberReader(object)
        line.id = members.text("id")
        line.reference = members.textOrNumber("ref")
        if members.has("email") { line.email = .some(members.text("email")) }
        line.emailVerified = members.flag("emailVerified")
        line.phone = members.text("phone")
        line.nickname = members.text("nickname")
        line.avatarURL = members.text("avatarUrl")
        line.role = members.text("role")
        line.status = members.text("status")
        line.onboardingCompleted = members.flag("onboardingCompleted")
        line.createdAt = members.text("createdAt")
        line.lastLoginAt = members.text("lastLoginAt")
        line.attributes = members.attributes("attributes")
        for (index, identity) in members.objects("identities").enumerated() {
            line.identities.append(readIdentity(identity, "identities[\(index)]."))
        }
        faults += members.faults
        hasUnknownMembers = hasUnknownMembers || members.hasUnknownMembers
    }

    private mutating func readIdentity(_ object: JSONObject, _ place: String) -> IdentityLine {
        var members = MemberReader(object, place: place)
        var identity = IdentityLine()
        identity.provider = members.text("provider")
        identity.subject = members.text("subject")
        identity.email = members.text("email")
        identity.emailVerified = members.flag("emailVerified")
        identity.isPrivateEmail = members.flag("isPrivateEmail")
        // Apple writes the name of its claim with an underscore.
        identity.transferSubject = members.text("transferSub") ?? members.text("transfer_sub")
        _ = members.has("transfer_sub")
        identity.unionSubject = members.text("unionSub")
        identity.linkedAt = members.text("linkedAt")
        for (index, passkey) in members.objects("passkeys").enumerated() {
            let read = ReadPasskey(passkey, "\(place)passkeys[\(index)].")
            if let line = read.line { identity.passkeys.append(line) }
            faults += read.faults
            hasUnknownMembers = hasUnknownMembers || read.hasUnknownMembers
        }
        if identity.provider == Provider.passkey.lowercaseName, let text = identity.subject {
            identity.subject = PasskeyText.bytes(text, atMost: 64).map { PasskeyText.text(of: $0) }
            if identity.subject == nil { members.reject("subject", PasskeyText.fault(atMost: 64)) }
        }
        faults += members.faults
        hasUnknownMembers = hasUnknownMembers || members.hasUnknownMembers
        return identity
    }
}

extension UserLine {
    /// The line with its line end. Members without a value are left out, except `email`: its absence would mean the address
    /// of an identity.
    package var written: [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.put("id", id)
            json.put("ref", reference)
            json.member("identities", objects: identities) { $0.write(to: &$1) }
            if let email { json.member("email", email) }
            json.put("emailVerified", emailVerified)
            json.put("phone", phone)
            json.put("nickname", nickname)
            json.put("avatarUrl", avatarURL)
            json.put("role", role)
            json.put("status", status)
            json.put("onboardingCompleted", onboardingCompleted)
            json.put("createdAt", createdAt)
            json.put("lastLoginAt", lastLoginAt)
            if let attributes { json.member("attributes", json: attributes.json) }
        }
        var bytes = json.finish()
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// What an export writes of a user.
    package init(_ exported: ExportedUser) {
        self.init()
        let user = exported.user
        id = user.id.text
        identities = exported.accounts.map(IdentityLine.init)
        for index in identities.indices where exported.accounts[index].provider == .passkey {
            identities[index].passkeys = exported.passkeys.map(PasskeyLine.init)
        }
        email = .some(user.email)
        emailVerified = user.emailVerified
        phone = user.phone
        nickname = user.nickname
        avatarURL = user.avatarURL
        role = user.role.rawValue
        status = user.status.rawValue
        onboardingCompleted = user.onboardingCompleted
        createdAt = user.createdAt.description
        lastLoginAt = exported.lastLoginAt?.description
        attributes = user.attributes.isEmpty ? nil : user.attributes
    }
}

extension IdentityLine {
    fileprivate init(_ account: LinkedAccount) {
        self.init()
        provider = account.provider.lowercaseName
        subject = account.subject
        email = account.email
        emailVerified = account.emailVerified
        isPrivateEmail = account.isPrivateEmail
        transferSubject = account.transferSubject
        unionSubject = account.unionSubject
        linkedAt = account.linkedAt.description
    }

    fileprivate func write(to json: inout JSONObjectWriter) {
        json.put("provider", provider)
        json.put("subject", subject)
        json.put("email", email)
        json.put("emailVerified", emailVerified)
        json.put("isPrivateEmail", isPrivateEmail)
        json.put("transferSub", transferSubject)
        json.put("unionSub", unionSubject)
        json.put("linkedAt", linkedAt)
        if !passkeys.isEmpty {
            json.member("passkeys", objects: passkeys) { $0.write(to: &$1) }
        }
    }
}

extension JSONObjectWriter {
    mutating func put(_ name: String, _ value: String?) {
        if let value { member(name, value) }
    }

    mutating func put(_ name: String, _ value: Bool?) {
        if let value { member(name, value) }
    }
}

/// Reads the members of an object of a line, and collects the faults. `null` counts as absent.
struct MemberReader {
    private let object: JSONObject
    private let place: String
    private(set) var faults: [LineFault] = []
    private var known: Set<String> = []

    init(_ object: JSONObject, place: String = "") {
        (self.object, self.place) = (object, place)
    }

    /// Whether the object has members that were not asked for.
    var hasUnknownMembers: Bool { object.members.contains { !known.contains($0.name) } }

    mutating func has(_ name: String) -> Bool {
        known.insert(name)
        return object[name] != nil
    }

    mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    mutating func text(_ name: String) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else {
            reject(name, "must be a string")
            return nil
        }
        return text
    }

    /// Some systems number their users.
    mutating func textOrNumber(_ name: String) -> String? {
        if let number = value(name)?.integer { return String(number) }
        return text(name)
    }

    mutating func flag(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else {
            reject(name, "must be true or false")
            return nil
        }
        return flag
    }

    mutating func attributes(_ name: String) -> Attributes? {
        guard let value = value(name) else { return nil }
        if value.object == nil { reject(name, "must be an object") }
        return value.object.map(Attributes.init)
    }

    mutating func objects(_ name: String) -> [JSONObject] {
        guard let value = value(name) else { return [] }
        guard let values = value.array else {
            reject(name, "must be an array")
            return []
        }
        return values.enumerated().compactMap { index, value in
            if value.object == nil { reject("\(name)[\(index)]", "must be an object") }
            return value.object
        }
    }

    mutating func reject(_ name: String, _ explanation: String) {
        faults.append(LineFault(place + name, explanation))
    }
}

extension Attributes {
    init(_ object: JSONObject) { self.init(canonical: object.sorted.description) }
}
