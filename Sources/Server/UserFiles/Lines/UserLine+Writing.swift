package import Gatehouse
import JSON

extension UserLine {
    /// The line with its line end. Members without a value are left out, except `email`: its absence would mean the address
    /// of an identity.
    package var written: [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.put("id", id)
            json.put("ref", reference)
            json.member(
                "identities",
                array: { array in
                    for identity in identities { array.object { identity.write(to: &$0) } }
                })
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
    }
}

extension JSONObjectWriter {
    fileprivate mutating func put(_ name: String, _ value: String?) {
        if let value { member(name, value) }
    }

    fileprivate mutating func put(_ name: String, _ value: Bool?) {
        if let value { member(name, value) }
    }
}
