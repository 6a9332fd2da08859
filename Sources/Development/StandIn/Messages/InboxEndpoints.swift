import DevelopmentHTTP
import JSON
import POSIX

/// `GET /inbox` and `DELETE /inbox`. Both control the stand-ins, so that no page of another origin reads a code.
struct InboxEndpoints: ProviderKind {
    let inbox: Inbox

    /// The answer of a request that waits. The others are answered at once, by `control`.
    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard request.method == "GET", path.isEmpty, request.isFromSameOrigin(.http),
            let query = try? InboxQuery(request), query.wait > 0
        else { return nil }
        let deadline = MonotonicTime.now + .seconds(query.wait)
        return .waiting(seconds: query.wait + 1) { [inbox] in
            let answer = inbox.answer(query)
            return answer.isEmpty && MonotonicTime.now < deadline ? nil : .reply(.ok(answer.json))
        }
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("GET", ""): return inbox.answer(try InboxQuery(request)).json
        case ("DELETE", ""):
            inbox.clear()
            return [:]
        default: throw HTTPRefusal("404 Not Found", "GET /inbox?to=ADDRESS&after=NUMBER&wait=SECONDS, DELETE /inbox")
        }
    }
}
