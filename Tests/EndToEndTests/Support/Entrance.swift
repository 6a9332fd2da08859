import FakeApple
import JSON
import TestSupport

/// The ways into one house: the API, and what the guard lets through. One connection carries one request after another.
final class Entrance {
    enum Door: String, Sendable, CaseIterable {
        case api
        case guarded
    }

    let house: ServedHouse
    private let front: FrontedHouse?
    private var peer: FastCGIPeer

    init(_ world: World) throws {
        // Any content does: whether it is shown is what the guard decides.
        let location = "location /notes/ { include snippets/gatehouse-guard.conf; empty_gif; }"
        front = world == .nginx ? try FrontedHouse(locations: location) : nil
        house = try front?.served ?? ServedHouse()
        peer = try house.connect()
    }

    func send(_ call: Call) throws -> Answer {
        try front?.send(call) ?? house.send(call, over: peer)
    }

    /// Whether a token is let in, and why not.
    func ask(_ door: Door, _ accessToken: String) throws -> String {
        let guarded = front == nil ? "/api/auth/verify" : "/notes/1"
        let answer = try send(.get(door == .api ? "/api/users/me" : guarded, bearer: accessToken))
        return "\(answer.status) \(answer.code ?? "")"
    }

    func logIn(_ subject: String) throws -> Answer {
        try send(.post("/api/auth/apple", house.apple.login(subject) { $0.email = subject + "@example.com" }))
    }

    func refresh(_ token: String) throws -> Answer {
        try send(.post("/api/auth/refresh", ["refreshToken": .string(token)]))
    }

    func admits(_ accessToken: String, at door: Door) throws -> Bool {
        try ask(door, accessToken).hasPrefix("20")
    }

    func killAndRestart() throws {
        try house.dieAndComeBack()
        peer = try house.connect()
    }
}

extension Answer {
    var userID: String { json["user"]?.object?["id"]?.string ?? "" }
}
