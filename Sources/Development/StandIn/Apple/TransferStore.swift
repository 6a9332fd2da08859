import DevelopmentHTTP
import FileSystem
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

    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) was not written by fake-apple: delete it" }
    }

    private let path: String
    private let kept: Mutex<State>
    private let tokens = Mutex<[String: AccessToken]>([:])
    /// Persons who have shared their own address. The others get a relay address.
    private let open = Mutex<Set<String>>([])

    package init(in directory: String) throws {
        path = directory + "/transfer.json"
        guard File.exists(path) else {
            kept = Mutex(State())
            return
        }
        let json = (try? JSONValue(parsing: try File.read(path, atMost: 1 << 26)))?.object
        guard let state = json.flatMap(State.init) else { throw Unreadable(path: path) }
        kept = Mutex(state)
    }

    var state: State { kept.withLock { $0 } }

    package var view: TeamView {
        let state = state
        return TeamView(owner: state.owner, isMoving: state.isWindowOpen == true)
    }

    func change(_ body: (inout State) throws(HTTPRefusal) -> Void) throws {
        try kept.withLock { state in
            try body(&state)
            try File.replace(path, with: state.json.bytes)
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
