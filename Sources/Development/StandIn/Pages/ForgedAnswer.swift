package import DevelopmentHTTP
package import JSON
import Synchronization

/// How a test has the next answer of a provider's page differ from the right one.
package struct ForgedAnswer: Equatable, Sendable {
    /// The user whose sign-in it is for; nil for the next one.
    var user: String?
    /// Replace those of the answer; `null` removes one.
    var parameters: JSONObject = [:]
    package var token = TokenChanges()

    /// - Parameter hasToken: whether the provider issues identity tokens.
    package init(_ json: JSONObject, hasToken: Bool = true) throws(HTTPRefusal) {
        for (name, value) in json.members {
            switch (name, value) {
            case ("for", .string(let text)): user = text
            case ("parameters", .object(let members))
            where members.members.allSatisfy({ $0.value.isNull || $0.value.string != nil }):
                parameters = members
            case ("token", .object(let members)) where hasToken: token = try TokenChanges(members)
            default:
                throw .invalid(
                    "\(name): known are the text for (a user), the object parameters (texts, or null)"
                        + (hasToken ? " and the object token" : ""))
            }
        }
    }

    /// An error comes without a code, and without what belongs to one.
    package func changed(_ answer: AuthorizationAnswer) -> AuthorizationAnswer {
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
package struct TokenChanges: Equatable, Sendable {
    /// Members that replace the usual ones; `null` removes one.
    package var claims: JSONObject = [:]
    package var header: JSONObject = [:]
    /// Whether the token is signed by another key, with the key id of the right one.
    package var isForged = false

    package init() {}

    init(_ json: JSONObject) throws(HTTPRefusal) {
        for (name, value) in json.members {
            switch (name, value) {
            case ("claims", .object(let members)): claims = members
            case ("header", .object(let members)): header = members
            case ("forged", .bool(let flag)): isForged = flag
            default: throw .invalid("token.\(name): known are the objects claims, header and the flag forged")
            }
        }
    }
}

/// The answers that tests have ordered. Each is for one sign-in.
package final class ForgedAnswers: Sendable {
    private let ordered = Mutex<[ForgedAnswer]>([])

    package init() {}

    package func add(_ answer: ForgedAnswer) { ordered.withLock { $0.append(answer) } }

    package func clear() { ordered.withLock { $0 = [] } }

    /// The first one for this user, which is used up. Nil for a right answer.
    package func next(for user: String?) -> ForgedAnswer? {
        ordered.withLock { ordered in
            guard let index = ordered.firstIndex(where: { $0.user == nil || $0.user == user }) else { return nil }
            return ordered.remove(at: index)
        }
    }
}
