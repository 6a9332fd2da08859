import Foundation
import JSON
import SQL
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

/// Guests live at both nodes at once, and each ends in one of several ways. What was answered must be so in the end.
@Suite("Guests at nodes that are killed")
struct KilledNodeGuestTests {
    private enum End: CaseIterable {
        case stays, links, joins, deletes, expires, comesBack
    }

    /// A guest, or who the guest has become, and what was answered of them.
    private final class Guest: Sendable {
        struct State {
            /// The last ones of each device.
            var tokens: [TestResponse]
            var isLinked = false
            /// The login as the user whom the guest has joined.
            var joined: TestResponse?
            var isGone = false
        }

        let id: String
        let key: String?
        private let current: Mutex<State>

        init(_ login: TestResponse, _ key: String?) {
            (id, self.key) = (login.userID, key)
            current = Mutex(State(tokens: [login]))
        }

        var state: State { current.withLock { $0 } }

        func change(_ body: (inout State) -> Void) { current.withLock { body(&$0) } }

        /// What services are told.
        var events: [String] {
            let state = state
            let link = state.isLinked ? ["account.linked APPLE", "user.updated guest"] : []
            return ["user.created GUEST"] + link + (state.isGone ? ["user.deleted \(state.joined?.userID ?? "")"] : [])
        }
    }

    /// The guests, and how many without a key there may be whose answer was lost.
    private final class Ledger: Sendable {
        let guests = Mutex<[Guest]>([])
        let unknown = Mutex(0)
    }

    private let load: KilledNodes
    private let ledger = Ledger()

    init() throws {
        load = try KilledNodes { variables in
            variables["GUESTS"] = "open"
            for name in ["CODES_PER_CLIENT", "CODES_PER_NETWORK"] { variables[name] = "1000000/1h" }
        }
        try load.nodes.database.execute("INSERT INTO event_receivers (name, types, seen_at) VALUES ('r', '*', 1)")
    }

    // MARK: - Requests

    private func ask(_ request: TestRequest, _ key: String?) throws -> KilledNodes.Answer {
        try load.ask { try key.map { try request.proven(by: $0, at: load.nodes.first) } ?? request }
    }

    private func expect(_ isRight: Bool, _ guest: Guest, _ answer: TestResponse?, line: Int = #line) {
        let text = answer.map { "\($0.status) \($0.code ?? "") \($0.json)" } ?? ""
        if !isRight { load.report("line \(line): \(guest.id) \(guest.key ?? "open") \(text)") }
    }

    /// The guard of this node, which may be killed meanwhile.
    private func guardAnswer(_ token: String, at node: ServerProcess) throws -> TestResponse {
        var request = TestRequest.get("/api/auth/verify", bearer: token)
        request.admittedGuests = "on"
        var answer: TestResponse?
        _ = Eventually.holds {
            answer = try? node.send(request)
            return answer.map { $0.status != 503 } == true
        }
        return try #require(answer)
    }

    private func signIn(_ key: String?) throws -> KilledNodes.Answer {
        let answer = try ask(.post("/api/auth/guest", [:]), key)
        if key == nil, answer.isRepeated { ledger.unknown.withLock { $0 += 1 } }
        return answer
    }

    /// Returns whether the session goes on.
    private func refresh(_ guest: Guest, _ device: Int) throws -> Bool {
        let answer = try ask(.refresh(guest.state.tokens[device].refreshToken), guest.key)
        guard answer.response.status == 200 else {
            expect(answer.response.code == "invalid_refresh_token", guest, answer.response)
            return false
        }
        guest.change { $0.tokens[device] = answer.response }
        let seen = try guardAnswer(answer.response.accessToken, at: answer.node)
        // The other device may have ended the account in between.
        expect(seen.header("x-user-id") == guest.id || seen.code == "session_revoked", guest, seen)
        return true
    }

    private func send(
        _ method: String, _ path: String, _ body: JSONObject = [:], as guest: Guest
    ) throws -> KilledNodes.Answer {
        var request = TestRequest.post(path, body, bearer: guest.state.tokens[0].accessToken)
        request.method = method
        return try ask(request, guest.key)
    }

    // MARK: - A life

    private func live(_ number: Int, _ turn: Int) throws {
        let key = number.isMultiple(of: 2) ? "\(UUID()):P-256" : nil
        let first = try signIn(key)
        let guest = Guest(first.response, key)
        expect(first.response["isNewUser"] == true || first.isRepeated && key != nil, guest, first.response)
        if key != nil {
            let second = try signIn(key).response
            expect(second.userID == guest.id && second["isNewUser"] == false, guest, second)
            guest.change { $0.tokens.append(second) }
        }
        ledger.guests.withLock { $0.append(guest) }
        expect(try refresh(guest, 0), guest, nil)
        switch End.allCases[(number / 2 + turn) % End.allCases.count] {
        case .stays: expect(try refresh(guest, 0), guest, nil)
        case .links: try beside(guest, link)
        case .joins: try beside(guest, join)
        case .deletes: try beside(guest, delete)
        case .expires:
            try age(guest)
            guest.change { $0.isGone = true }
        case .comesBack: try comeBack(guest)
        }
    }

    /// While the other device, if there is one, refreshes.
    private func beside(_ guest: Guest, _ end: (Guest) throws -> Void) throws {
        let other = Background { [self] in
            guard guest.state.tokens.count > 1 else { return [] }
            let isRefused = (0..<5).contains { _ in (try? refresh(guest, 1)) == false }
            return isRefused ? [1] : []
        }
        let outcome = Result { try end(guest) }
        let isRefused = !other.result().isEmpty
        expect(!isRefused || guest.state.isGone, guest, nil)
        try outcome.get()
    }

    private func link(_ guest: Guest) throws {
        // A node which does not know yet that a former attempt was carried out refuses the token.
        _ = try (1...4).contains { _ in
            let identity = load.nodes.first.apple.login(guest.id)
            let answer = try send("POST", "/api/users/me/accounts/apple", identity, as: guest)
            guard answer.response.status == 200 else {
                expect(answer.isRepeated && answer.response.code == "session_revoked", guest, answer.response)
                expect(try refresh(guest, 0), guest, nil)
                return false
            }
            guest.change { $0.isLinked = true }
            let seen = try guardAnswer(guest.state.tokens[0].accessToken, at: answer.node)
            expect(seen.status == 204 && seen.header("x-user-guest") == nil, guest, seen)
            return true
        }
        expect(guest.state.isLinked, guest, nil)
    }

    private func join(_ guest: Guest) throws {
        let owner = "owner of " + guest.id
        let user = try ask(.post("/api/auth/apple", load.nodes.first.apple.login(owner)), nil).response.userID
        var body = load.nodes.first.apple.login(owner)
        (body["onTaken"], body["refreshToken"]) = ("join", .string(guest.state.tokens[0].refreshToken))
        var answer = try send("POST", "/api/users/me/accounts/apple", body, as: guest)
        if answer.isRepeated, answer.response.code == "session_revoked" {
            // The guest is gone, and the same identity token signs in as the other user.
            (body["onTaken"], body["refreshToken"]) = (nil, nil)
            answer = try ask(.post("/api/auth/apple", body), guest.key)
        } else {
            try expectRefused(guest, at: answer.node)
        }
        expect(answer.response.status == 200 && answer.response.userID == user, guest, answer.response)
        guest.change { ($0.isGone, $0.joined) = (true, answer.response) }
    }

    private func delete(_ guest: Guest) throws {
        let answer = try send("DELETE", "/api/users/me", as: guest)
        let isAgain = answer.isRepeated && answer.response.code == "session_revoked"
        expect(answer.response.status == 204 || isAgain, guest, answer.response)
        guest.change { $0.isGone = true }
        if !isAgain { try expectRefused(guest, at: answer.node) }
    }

    /// By the node that has ended the guest, from the next request on.
    private func expectRefused(_ guest: Guest, at node: ServerProcess) throws {
        let seen = try guardAnswer(guest.state.tokens[0].accessToken, at: node)
        expect(seen.code == "session_revoked", guest, seen)
    }

    /// As if the guest had been away for forty days.
    private func age(_ guest: Guest) throws {
        let script = """
            BEGIN;
            UPDATE users SET last_login_at = last_login_at - 3456000000 WHERE id = '\(guest.id)';
            UPDATE refresh_tokens SET rotated_at = rotated_at - 3456000000 WHERE user_id = '\(guest.id)';
            COMMIT
            """
        // The table may be hidden.
        #expect(Eventually.holds { (try? load.nodes.database.execute(script)) != nil })
    }

    /// Before or after a node deletes the guest, or while it is about to: each does so once a second.
    private func comeBack(_ guest: Guest) throws {
        try age(guest)
        let holding = Background { [self] in
            let lock = "SELECT FROM users WHERE id = '\(guest.id)' FOR NO KEY UPDATE"
            try? load.nodes.database.execute("BEGIN; \(lock); SELECT pg_sleep(1); COMMIT")
            return []
        }
        defer { _ = holding.result() }
        // No outcome is waited for: the rule holds at every moment, so each run takes another one.
        Thread.sleep(forTimeInterval: .random(in: 0..<2))
        let goesOn = try Concurrently.run(guest.state.tokens.count) { [self] in try refresh(guest, $0) }
        expect(Set(goesOn).count == 1, guest, nil)
        guest.change { $0.isGone = goesOn[0] == false }
    }

    // MARK: - The ledger

    @Test("A lost answer signs out, deletes or doubles no guest, and services get one event for each end")
    func lives() throws {
        let clients = (0..<8).map { number -> KilledNodes.Client in { turn in try live(number, turn) } }
        try load.run(clients, killedIn: Need.areAllMet ? 20 : 4) { round in
            if round % 4 == 1 { try load.endConnections() }
            if round % 4 == 3 { try load.hide(["users", "refresh_tokens", "events"][round / 4 % 3]) }
        }
        #expect(load.faults == [])
        let guests = ledger.guests.withLock { $0 }
        #expect(guests.contains { $0.state.isLinked } && guests.contains { $0.state.joined != nil })
        let (gone, unknown) = (guests.filter(\.state.isGone), ledger.unknown.withLock { $0 })
        #expect(
            Eventually.holds {
                (try? load.nodes.first.count("events WHERE type = 'user.deleted'")).map { $0 >= gone.count } == true
            })
        let events = try Dictionary(
            grouping: load.nodes.database.connection().all(
                "SELECT user_id, type, coalesce(detail, '') FROM events WHERE type <> 'device.added' ORDER BY number"
            ) { (user: $0.text(0), event: "\($0.text(1)) \($0.text(2))") }, by: \.user
        ).mapValues { $0.map(\.event) }
        for guest in guests {
            #expect(events[guest.id] == guest.events, "\(guest.id)")
            if guest.state.isGone { try expectGone(guest) } else { try expectThere(guest) }
        }
        let known = Set(guests.map(\.id) + guests.compactMap { $0.state.joined?.userID })
        #expect(known.count == guests.count + guests.count { $0.state.joined != nil })
        #expect(events.keys.count { !known.contains($0) } <= unknown)
    }

    private func expectThere(_ guest: Guest) throws {
        for (device, tokens) in guest.state.tokens.enumerated() {
            let next = try ask(.refresh(tokens.refreshToken), guest.key).response
            #expect(next.status == 200, "\(guest.id) \(device) \(next.json)")
            for (node, token) in zip(load.both + load.both, [tokens, tokens, next, next].map(\.accessToken)) {
                let user = try node.me(token)
                #expect(user["id"] == .string(guest.id) && user["guest"] == .bool(!guest.state.isLinked))
            }
        }
    }

    private func expectGone(_ guest: Guest) throws {
        for tokens in guest.state.tokens {
            for node in load.both {
                let isRefused = Eventually.holds { (try? node.me(tokens.accessToken).code) == "session_revoked" }
                #expect(isRefused, "\(guest.id)")
            }
            #expect(try ask(.refresh(tokens.refreshToken), guest.key).response.code == "invalid_refresh_token")
        }
        guard let joined = guest.state.joined else { return }
        for node in load.both { #expect(try node.me(joined.accessToken)["id"] == .string(joined.userID)) }
        #expect(try ask(.refresh(joined.refreshToken), guest.key).response.status == 200)
    }
}
