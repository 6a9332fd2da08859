import DevelopmentHTTP
import POSIX

/// The requests that the page may send to the fake Apple: not those to its endpoints for Gatehouse.
struct AppleControl: Sendable {
    private static let allowed: Set<String> = [
        "GET /faults", "POST /faults", "DELETE /faults", "POST /keys/rotate", "POST /mint", "POST /notify",
        "GET /inbox", "DELETE /inbox",
    ]

    /// Whether the path mints a login of another provider.
    static func isMint(_ path: String) -> Bool {
        path.wholeMatch(of: #/\/(openid\/[a-z][a-z0-9_-]*|wechat|qq)\/mint/#) != nil
    }

    let server: HTTPUpstream

    func answer(_ request: HTTPRequest, to path: String) -> HTTPAction {
        guard Self.allowed.contains("\(request.method) \(path)") || request.method == "POST" && Self.isMint(path) else {
            let allowed = Self.allowed.sorted() + ["POST /openid/NAME/mint", "POST /wechat/mint", "POST /qq/mint"]
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
