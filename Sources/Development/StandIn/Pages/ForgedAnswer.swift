import DevelopmentHTTP
import JSON
import Synchronization

/// How a test has the next answer of a provider's page differ from the right one.
struct ForgedAnswer: Equatable, Sendable {
    /// The user whose sign-in it is for; nil for the next one.
    var user: String?
    /// Replace those of the answer; `null` removes one.
    var parameters: JSONObject = [:]
    var token = TokenChanges()

    /// - Parameter hasToken: whether the provider issues identity tokens.
    init(_ json: JSONObject, hasToken: Bool = true) throws(HTTPRefusal) {
        var order = OrderReader(json)
        user = order.text("for")
        parameters =
            order.take("parameters") { value in
                value.object.flatMap { object in
                    object.members.allSatisfy { $0.value.isNull || $0.value.string != nil } ? object : nil
                }
            } ?? [:]
        if hasToken, let changes = order.object("token") { token = try TokenChanges(changes) }
        try order.end(
            "known are the text for (a user), the object parameters (texts, or null)"
                + (hasToken ? " and the object token" : ""))
    }

    /// An error comes without a code, and without what belongs to one.
    fileprivate func changed(_ answer: AuthorizationAnswer) -> AuthorizationAnswer {
        var answer = answer
        if parameters["error"]?.string != nil {
            answer.parameters.removeAll { ["code", "id_token", "user"].contains($0.name) }
        }
        for (name, value) in parameters.members {
            let index = answer.parameters.firstIndex { $0.name == name } ?? answer.parameters.endIndex
            answer.parameters.removeAll { $0.name == name }
            if let text = value.string { answer.parameters.insert((name, text), at: index) }
        }
        return answer
    }
}

/// How the identity tokens of a sign-in differ from right ones.
struct TokenChanges: Equatable, Sendable {
    /// Members that replace the usual ones; `null` removes one.
    var claims: JSONObject = [:]
    var header: JSONObject = [:]
    /// Whether the token is signed by another key, with the key id of the right one.
    var isForged = false

    init() {}

    init(_ json: JSONObject) throws(HTTPRefusal) {
        var order = OrderReader(json)
        claims = order.object("claims") ?? [:]
        header = order.object("header") ?? [:]
        isForged = order.flag("forged") ?? false
        do { try order.end("known are the objects claims, header and the flag forged") } catch {
            throw .invalid("token.\(error)")
        }
    }
}

/// The answers that tests have ordered. Each is for one sign-in.
final class ForgedAnswers: Sendable {
    private let ordered = Mutex<[ForgedAnswer]>([])

    init() {}

    func add(_ answer: ForgedAnswer) { ordered.withLock { $0.append(answer) } }

    func clear() { ordered.withLock { $0 = [] } }

    /// The answer to a user of the page, changed as the first order for the user says, which is used up.
    func reply(
        for user: String?, _ answer: (TokenChanges) throws -> AuthorizationAnswer
    ) rethrows -> HTTPReply {
        let change = ordered.withLock { ordered in
            ordered.firstIndex { $0.user == nil || $0.user == user }.map { ordered.remove(at: $0) }
        }
        let answer = try answer(change?.token ?? TokenChanges())
        return (change?.changed(answer) ?? answer).reply
    }
}
