import DevelopmentHTTP
import POSIX

/// The requests that the page may send to the fake Apple: not those to its endpoints for Gatehouse.
struct AppleControl: Sendable {
    private static let allowed: Set<String> = [
        "GET /faults", "POST /faults", "DELETE /faults", "POST /keys/rotate", "POST /mint", "POST /notify",
        "GET /inbox", "DELETE /inbox", "POST /answers", "DELETE /answers",
    ]

    /// Whether the path mints a login of another provider.
    static func isMint(_ path: String) -> Bool {
        path.wholeMatch(of: #/\/(openid\/[a-z][a-z0-9_-]*|wechat|qq|number)\/mint/#) != nil
    }

    /// Whether the path has the next answer of another provider's page be wrong.
    private static func isAnswers(_ path: String) -> Bool {
        path.wholeMatch(of: #/\/(openid\/[a-z][a-z0-9_-]*|wechat|qq)\/answers/#) != nil
    }

    private static func isAllowed(_ method: String, _ path: String) -> Bool {
        allowed.contains("\(method) \(path)") || method == "POST" && isMint(path)
            || ["POST", "DELETE"].contains(method) && isAnswers(path)
    }

    let server: HTTPUpstream

    func answer(_ request: HTTPRequest, to path: String) -> HTTPAction {
        guard Self.isAllowed(request.method, path) else {
            let others = ["/openid/NAME", "/wechat", "/qq"].flatMap { ["POST \($0)/mint", "POST \($0)/answers"] }
            let allowed = Self.allowed.sorted() + others + ["POST /number/mint"]
            return .reply(
                HTTPReply.refusal("404 Not Found", "allowed: " + allowed.joined(separator: ", ")).forBrowsers)
        }
        do throws(POSIXError) {
            let query = request.target.dropFirst(request.path.count)
            return .pass(try server.answer(to: request, target: path + query))
        } catch {
            return .reply(
                HTTPReply.refusal("502 Bad Gateway", "the fake Apple does not answer: \(error)").forBrowsers)
        }
    }
}
