/// How the team that owns the app sees persons: each team has a subject of its own for a person.
///
/// The first team's subject is the person's name in the fake. The others follow from it and back, so that the fake needs to
/// keep none.
package struct TeamView: Sendable, Equatable {
    /// Who owns the app: 0 or 1.
    var owner = 0
    /// Whether the app was transferred to the owner less than 60 days ago.
    var isMoving = false

    package init(owner: Int = 0, isMoving: Bool = false) {
        self.owner = owner
        self.isMoving = isMoving
    }

    func subject(of person: String) -> String { TeamSubject.subject(ofTeam: owner).text(of: person) }

    /// Nil when the app is not being transferred.
    func transferSubject(of person: String) -> String? {
        isMoving ? TeamSubject.transfer(toTeam: owner).text(of: person) : nil
    }

    /// The person of the owner's subject, or of the first team's.
    func person(of subject: String) -> String { TeamSubject.subject(ofTeam: owner).person(of: subject) ?? subject }
}

/// The subjects of a person besides the first team's.
enum TeamSubject {
    case subject(ofTeam: Int)
    case transfer(toTeam: Int)

    /// What texts of this kind begin with; nil for the subjects of the first team.
    private var head: String? {
        switch self {
        case .subject(0): nil
        case .subject: "002222."
        case .transfer(0): "003333."
        case .transfer: "004444."
        }
    }

    private static let tail = ".0930"
    /// A subject of another team must not show the person's first one.
    private static let mask: UInt8 = 0xA5

    func text(of person: String) -> String {
        guard let head else { return person }
        return head + RandomText.hexadecimal(person.utf8.map { $0 ^ Self.mask }) + Self.tail
    }

    /// Nil for a text of another kind.
    func person(of text: String) -> String? {
        guard let head else { return text }
        guard text.hasPrefix(head), text.hasSuffix(Self.tail) else { return nil }
        let digits = Array(text.dropFirst(head.count).dropLast(Self.tail.count))
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
            bytes.append(byte ^ Self.mask)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Person {
    /// The person as the owner of the app sees them.
    func seen(by view: TeamView) -> Person {
        var seen = Person(
            subject: view.subject(of: subject), audience: audience, email: email, era: era, sharesEmail: sharesEmail)
        seen.transferSubject = view.transferSubject(of: subject)
        return seen
    }
}
