import JSON
import Synchronization

/// An example service behind the guard. It stores documents and shows each user their own, and leaves
/// authentication to the guard.
final class KnowledgeBaseService: Sendable {
    private struct Document {
        let id: String
        let owner: String
        let title: JSONValue

        var json: JSONObject { ["id": .string(id), "title": title] }
    }

    private struct State {
        var documents: [Document] = []
        var added = 0
    }

    private let state = Mutex(State())

    func respond(_ request: UpstreamRequest) -> UpstreamResponse {
        // nginx sets exactly one user id. Anything else is a hole in the guard.
        let users = request.values(of: "X-User-Id")
        guard users.count == 1, users[0].hasPrefix("user_") else { return UpstreamResponse(status: "500 No Name") }
        var place = request.target.split(separator: "/")
        let id = place.last?.hasPrefix("doc_") == true ? String(place.removeLast()) : nil
        switch (request.method, place.joined(separator: "/"), id) {
        case ("POST", "knowledge/documents", nil): return add(request, for: users[0])
        case ("GET", "knowledge/documents", nil): return list(of: users[0])
        case ("GET", "knowledge/documents", let id?): return show(id, to: users[0])
        case ("DELETE", "knowledge/admin/documents", let id?): return remove(id)
        default: return .notFound
        }
    }

    private func add(_ request: UpstreamRequest, for user: String) -> UpstreamResponse {
        let body = (try? JSONValue(parsing: request.body))?.object
        let document = state.withLock { state in
            state.added += 1
            let document = Document(id: "doc_\(state.added)", owner: user, title: body?["title"] ?? .null)
            state.documents.append(document)
            return document
        }
        return .json("201 Created", document.json)
    }

    private func list(of user: String) -> UpstreamResponse {
        let own = state.withLock { $0.documents.filter { $0.owner == user } }
        return .json("200 OK", ["documents": .array(own.map { .object($0.json) })])
    }

    private func show(_ id: String, to user: String) -> UpstreamResponse {
        let found = state.withLock { $0.documents.first { $0.id == id && $0.owner == user } }
        return found.map { .json("200 OK", $0.json) } ?? .notFound
    }

    private func remove(_ id: String) -> UpstreamResponse {
        state.withLock { state in
            guard let index = state.documents.firstIndex(where: { $0.id == id }) else { return .notFound }
            state.documents.remove(at: index)
            return UpstreamResponse(status: "204 No Content")
        }
    }
}

extension UpstreamResponse {
    fileprivate static let notFound = UpstreamResponse(status: "404 Not Found")

    fileprivate static func json(_ status: String, _ object: JSONObject) -> UpstreamResponse {
        UpstreamResponse(status: status, headers: [("Content-Type", "application/json")], body: object.bytes)
    }
}
