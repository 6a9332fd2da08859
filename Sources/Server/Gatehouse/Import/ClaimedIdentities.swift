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
        guard let provider = provider.flatMap(Provider.init(lowercaseName:)), let subject else { return [] }
        return ImportedSoFar.names(
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
