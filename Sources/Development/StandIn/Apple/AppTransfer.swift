import DevelopmentHTTP
import JSON
import Synchronization

/// Which team owns the app, and what else a transfer of the app needs. It is kept in a file, so that a restart does not give the
/// app back.
package final class TransferStore: Sendable {
    struct State: Equatable {
        var owner = 0
        /// Nil before the first transfer. Apple ends it after 60 days.
        var isWindowOpen: Bool?
        /// Persons who have withdrawn their consent.
        var revoked: Set<String> = []
    }

    struct AccessToken {
        let team: Int
        let clientID: String
        let expiresAt: Int64
    }

    private let file: StateFile
    private let kept: Mutex<State>
    private let tokens = Mutex<[String: AccessToken]>([:])
    /// Persons who have shared their own address. The others get a relay address.
    private let open = Mutex<Set<String>>([])

    package init(in folder: String?) throws {
        file = StateFile(folder, "transfer.json")
        kept = Mutex(try file.read(State.init) ?? State())
    }

    var state: State { kept.withLock { $0 } }

    package var view: TeamView {
        let state = state
        return TeamView(owner: state.owner, isMoving: state.isWindowOpen == true)
    }

    func change(_ body: (inout State) throws(HTTPRefusal) -> Void) throws {
        try kept.withLock { state in
            try body(&state)
            try file.write(state.json)
        }
    }

    func remember(_ person: Person) {
        guard person.email != nil else { return }
        _ = open.withLock { $0.insert(person.subject) }
    }

    func hidesAddress(_ person: String) -> Bool { !open.withLock { $0.contains(person) } }

    func newAccessToken(for team: Int, _ clientID: String, now: Int64) -> String {
        let text = RandomText.ofApple("a")
        tokens.withLock { tokens in
            tokens = tokens.filter { $0.value.expiresAt > now }
            tokens[text] = AccessToken(
                team: team, clientID: clientID, expiresAt: now + Grant.accessTokenLifetime)
        }
        return text
    }

    func accepts(_ token: String, for team: Int, _ clientID: String, now: Int64) -> Bool {
        guard let token = tokens.withLock({ $0[token] }) else { return false }
        return token.team == team && token.clientID == clientID && token.expiresAt > now
    }

    /// As if their lifetime were over.
    func endAccessTokens() { tokens.withLock { $0 = [:] } }
}

extension TransferStore.State {
    var json: JSONObject {
        [
            "owner": .integer(Int64(owner)), "window": isWindowOpen.map(JSONValue.bool) ?? .null,
            "revoked": .array(revoked.sorted().map(JSONValue.string)),
        ]
    }

    /// Parses the output of `json`.
    init?(_ json: JSONObject) {
        guard let owner = json["owner"]?.integer, 0...1 ~= owner, let window = json["window"],
            let revoked = json["revoked"]?.array?.map(\.string), !revoked.contains(nil)
        else { return nil }
        self.init(
            owner: Int(owner), isWindowOpen: window == .bool(true) ? true : window == .bool(false) ? false : nil,
            revoked: Set(revoked.compactMap(\.self)))
    }
}

extension TransferStore {
    /// The body of `POST /transfer`. Refuses unknown members, so that typing errors are found.
    func apply(_ order: JSONObject, _ developer: DeveloperAccount) throws {
        try change { state throws(HTTPRefusal) in
            for (name, value) in order.members {
                switch (name, value) {
                case ("to", .string(let team)):
                    guard let number = developer.teams.firstIndex(where: { $0.id == team }), number != state.owner
                    else { throw Self.fault(developer) }
                    (state.owner, state.isWindowOpen) = (number, true)
                case ("window", "open"), ("window", "closed"):
                    guard state.isWindowOpen != nil else { throw .invalid("window: the app was not transferred") }
                    state.isWindowOpen = value == "open"
                case ("revoked", .array(let persons)): state.revoked = Set(persons.compactMap(\.string))
                case ("endTokens", .bool(true)): endAccessTokens()
                default: throw Self.fault(developer)
                }
            }
        }
    }

    func json(_ developer: DeveloperAccount) -> JSONObject {
        let state = state
        var json = state.json
        json["owner"] = .string(developer.teams[state.owner].id)
        json["window"] = state.isWindowOpen.map { $0 ? "open" : "closed" } ?? .null
        json["teams"] = .array(developer.teams.map { .object(["team": .string($0.id), "key": .string($0.keyID)]) })
        return json
    }

    private static func fault(_ developer: DeveloperAccount) -> HTTPRefusal {
        .invalid(
            "known are to (the team that does not own the app: \(developer.teams.map(\.id).joined(separator: ", "))), window "
                + "(open, closed), revoked (an array of subjects) and endTokens (true)")
    }
}

extension TransferStore.State {
    /// The team that owns the app may sign users in.
    func requireOwner(_ team: Int) throws(OAuthError) {
        guard team == owner else { throw .client("the app belongs to another team") }
    }

    /// For 60 days after a transfer, the former team may move users as well.
    func requireMigration(by team: Int) throws(OAuthError) {
        guard team == owner || isWindowOpen == true else {
            throw .client("the app belongs to another team")
        }
    }
}

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
        (self.owner, self.isMoving) = (owner, isMoving)
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
