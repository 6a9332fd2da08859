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
        faults += members.faults
        hasUnknownMembers = hasUnknownMembers || members.hasUnknownMembers
        return identity
    }
}
