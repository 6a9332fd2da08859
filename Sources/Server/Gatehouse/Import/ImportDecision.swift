/// What the store knows about a user to be imported.
package struct ImportFacts: Sendable, Equatable {
    /// The user of each identity, in the order of the identities.
    package let owners: [UserID?]
    /// The status of the user who has the id of the line; nil if there is none.
    package let statusOfID: UserStatus?
    /// The disabled user from whom one of the identities was removed.
    package let barredFrom: UserID?
    /// Whether a user has a credential of one of the passkeys.
    package let hasKnownPasskey: Bool

    package init(
        owners: [UserID?], statusOfID: UserStatus? = nil, barredFrom: UserID? = nil, hasKnownPasskey: Bool = false
    ) {
        self.owners = owners
        self.statusOfID = statusOfID
        self.barredFrom = barredFrom
        self.hasKnownPasskey = hasKnownPasskey
    }
}

package enum ImportDecision: Sendable, Equatable {
    case create(NewUser)
    /// The user has one of the identities already. Nothing changes.
    case exists(UserID)
    case refuse(LineFault)
}

/// An imported user as it is written.
package struct NewUser: Sendable, Equatable {
    package let user: User
    package let lastLoginAt: Timestamp?
    package let accounts: [LinkedAccount]
    /// Of the account at `PASSKEY`.
    package let passkeys: [Passkey]
}

extension ImportedUser {
    /// - Parameter makeID: makes the id of a user created at a time, for a line without an id that can be kept.
    package func decide(on facts: ImportFacts, makeID: (Timestamp) -> UserID) -> ImportDecision {
        let owners = Set(facts.owners.compactMap(\.self))
        if owners.count > 1 {
            return .refuse(LineFault("identities", "belong to different users" + Self.listed(owners)))
        }
        if let owner = owners.first { return .exists(owner) }
        if let user = facts.barredFrom {
            return .refuse(
                LineFault(
                    "identities",
                    "belong to a disabled user whose account was removed: gatehouse users enable \(user.text)"
                ))
        }
        if facts.hasKnownPasskey {
            return .refuse(LineFault("identities", "have a passkey that another user has"))
        }
        if facts.statusOfID == .deleted {
            return .refuse(
                LineFault("id", "belongs to a user who was deleted here, and does not come back by an import"))
        }
        return .create(newUser(facts.statusOfID == nil ? id : nil, makeID: makeID))
    }

    /// Without the users of a dry run, which do not exist.
    private static func listed(_ users: Set<UserID>) -> String {
        let ids = users.map(\.text).filter { $0.hasPrefix("user_") }.sorted()
        return ids.isEmpty ? "" : ": " + ids.joined(separator: ", ")
    }

    private func newUser(_ id: UserID?, makeID: (Timestamp) -> UserID) -> NewUser {
        var user = User(
            id: id ?? makeID(createdAt), email: email, emailVerified: emailVerified,
            phone: identities.first { $0.identity.provider == .phone }?.identity.subject, nickname: nickname,
            avatarURL: avatarURL, role: role, status: status, onboardingCompleted: onboardingCompleted,
            createdAt: createdAt)
        user.attributes = attributes
        let accounts = identities.map { LinkedAccount($0.identity, linkedAt: $0.linkedAt ?? createdAt) }
        let passkeys = identities.flatMap(\.passkeys).map { passkey in
            // As different as the ids of users.
            passkey.with(id: "passkey" + makeID(passkey.createdAt).text.dropFirst(4))
        }
        return NewUser(user: user, lastLoginAt: lastLoginAt, accounts: accounts, passkeys: passkeys)
    }
}

/// The identities that several lines of a file claim. None of these lines is imported: in a file that another program has made,
/// an attacker's line may claim the account of another person, and nothing tells which line is right.
package struct ClaimedIdentities {
    /// The first line of each identity, by a hash with a key of this process. A file has millions of them.
    private var lines: [Int: Int] = [:]
    /// The second line of those that have one.
    private var others: [Int: Int] = [:]

    package init() {}

    /// Also of a line with faults: otherwise a fault in one line would give its identities to the other.
    package mutating func add(_ line: UserLine, number: Int) {
        for (_, claim) in line.claims {
            let first = lines[claim, default: number]
            lines[claim] = first
            if first != number, others[claim] == nil { others[claim] = number }
        }
    }

    package func faults(of line: UserLine, number: Int) -> [LineFault] {
        line.claims.compactMap { member, claim in
            guard let first = lines[claim], let other = others[claim] else { return nil }
            return LineFault(member, "must not be in two lines: line \(first == number ? other : first) has it, too")
        }
    }
}

extension UserLine {
    /// The member and a hash of each name under which an identity of the line is found.
    fileprivate var claims: [(member: String, claim: Int)] {
        var number = IdentityLine()
        (number.provider, number.subject) = (Provider.phone.lowercaseName, phone)
        let ways = identities.enumerated().map { ("identities[\($0)]", $1) } + [("phone", number)]
        return ways.flatMap { member, way in way.names.map { (member, $0.hashValue) } }
    }
}

extension IdentityLine {
    fileprivate var names: [[UInt8]] {
        let credentials = passkeys.map { Array("credential ".utf8) + $0.credentialID }
        guard let provider = provider.flatMap(Provider.init(lowercaseName:)), let subject else { return credentials }
        return credentials
            + ImportedSoFar.names(
                of: Identity(
                    provider: provider, subject: provider.canonical(subject), email: nil,
                    transferSubject: transferSubject, unionSubject: unionSubject))
    }
}

extension Provider {
    /// The one form of a number or an address; as it is, if it has none.
    fileprivate func canonical(_ subject: String) -> String {
        switch self {
        case .phone: (try? PhoneNumber(ofAnyKind: subject))?.text ?? subject
        case .email: (try? EmailAddress(subject))?.text ?? subject
        default: subject
        }
    }
}

/// How many users a transaction of an import has, and how long the import pauses after it.
///
/// Long transactions write each page of a file once for many users. While one runs, other processes wait for the file. So
/// they are long while no other process writes, and short for a while after one did.
package struct ImportPace: Sendable {
    /// A process that waits for the file asks again at least every 100 ms (SQLite's busy handler), in the first 50 ms more
    /// often.
    private static let alone = (time: Duration.milliseconds(1000), pause: Duration.milliseconds(110))
    private static let besideOthers = (time: Duration.milliseconds(40), pause: Duration.milliseconds(25))
    private static let memory = Duration.seconds(10)

    /// In a database whose writers do not wait for each other.
    private static let sharedSize = 256
    private static let sizes = 64...16_384

    package private(set) var size = 256
    private var known: Int64?
    private var politeUntil = Duration.zero

    package init() {}

    /// Notes a transaction, and returns how long to pause.
    ///
    /// - Parameters:
    ///   - writes: as `OperatorStore.writesOfOthers`.
    ///   - now: on a clock that does not jump.
    package mutating func record(
        _ count: Int, taking time: Duration, writes: Int64?, now: Duration
    ) -> Duration {
        guard let writes else {
            size = Self.sharedSize
            return .zero
        }
        if let known, known != writes { politeUntil = now + Self.memory }
        known = writes
        let goal = now < politeUntil ? Self.besideOthers : Self.alone
        let perUser = max(time.milliseconds, 1) * 1000 / Int64(max(count, 1))
        let fitting = Int(goal.time.milliseconds * 1000 / max(perUser, 1))
        size = min(max(Self.sizes.lowerBound, min(fitting, size * 4)), Self.sizes.upperBound)
        return min(goal.pause, time)
    }
}
