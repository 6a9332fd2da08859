import JSON
import Synchronization
import TestSupport

/// Changes users of a server that may be killed at any moment, and knows which events the changes lead to. A change that was not
/// answered is made again: if it was made before, the repetition changes nothing, and there is one event for both.
final class ChangedUsers: Sendable {
    struct Member: Sendable {
        let email: String
        let id: String
        var accessToken: String
    }

    /// Gives the server for the next attempt.
    private let server: @Sendable () -> ServerProcess
    private let types = Mutex<[String: [String]]>([:])

    /// The types of the events of each user, in their order.
    var expected: [String: [String]] { types.withLock { $0 } }

    init(_ server: @escaping @Sendable () -> ServerProcess) { self.server = server }

    /// A life of a user: nine events, or eight without the deletion.
    func live(_ name: String, isDeleted: Bool) throws {
        var member = try create(name)
        for step in 1...3 { try rename(member, to: "\(name) \(step)") }
        try run(member, "disable", "user.disabled")
        try run(member, "enable", "user.enabled")
        member.accessToken = try logIn(name).accessToken
        try rename(member, to: "\(name) again")
        try rename(member, to: "\(name) at last")
        if isDeleted { try delete(member) }
    }

    func create(_ name: String) throws -> Member {
        let member = try logIn(name)
        expect("user.created", of: member)
        return member
    }

    func rename(_ member: Member, to nickname: String) throws {
        try repeated { server in
            var request = TestRequest.post(
                "/api/users/me", ["nickname": .string(nickname)], bearer: member.accessToken)
            request.method = "PATCH"
            return try server.send(request).status == 200
        }
        expect("user.updated", of: member)
    }

    private func delete(_ member: Member) throws {
        // The token of a user who was deleted by the attempt before is refused.
        try repeated { server in
            var request = TestRequest.get("/api/users/me", bearer: member.accessToken)
            request.method = "DELETE"
            return [204, 401, 403].contains(try server.send(request).status)
        }
        expect("user.deleted", of: member)
    }

    private func run(_ member: Member, _ command: String, _ type: String) throws {
        try repeated { server in (try? server.runCommand("users", command, member.id)) != nil }
        expect(type, of: member)
    }

    private func logIn(_ name: String) throws -> Member {
        let email = name.lowercased() + "@example.com"
        let answer = Mutex<TestResponse?>(nil)
        try repeated { server in
            let response = try server.devLogin(email)
            answer.withLock { $0 = response }
            return response.status == 200
        }
        let response = answer.withLock { $0 }
        return Member(email: email, id: response?.userID ?? "", accessToken: response?.accessToken ?? "")
    }

    private func expect(_ type: String, of member: Member) {
        types.withLock { $0[member.id, default: []].append(type) }
    }

    private func repeated(_ attempt: (ServerProcess) throws -> Bool) throws {
        guard Eventually.holds(within: 180, every: 0.05, { (try? attempt(server())) == true }) else {
            throw Spawn.Failure(description: "the change was not made")
        }
    }
}
