import Gatehouse
import GatehouseWeb
import JSON

extension RequestHandler {
    /// One line per request. It contains no text of the client, since any text may be a token.
    func logRequest(
        _ request: GatehouseWeb.Request, _ reply: Reply, route: Route?, _ context: RequestContext,
        _ nanoseconds: Int
    ) {
        log.line(Self.level(reply, isRoutine: route?.isRoutine ?? false), "request", requestID: context.id) { line in
            line.member("method", MethodLabel.of(request.method))
            line.member("path", route?.path ?? RequestCounts.unknownPath)
            line.member("status", reply.response.status)
            line.member("milliseconds", thousandths: nanoseconds / 1000)
            if let problem = reply.problem {
                line.member("code", problem.code)
                if let reason = problem.reason { line.member("reason", reason) }
            }
            if let trace = request.traceID { line.member("traceId", trace) }
            if let service = context.service { line.member("service", service) }
            if let user = context.userID { line.member("user", user.text) }
            if let session = context.sessionID { line.member("session", session.text) }
        }
    }

    /// Routine requests are logged at `info` only when they fail: nginx logs every guarded request already.
    private static func level(_ reply: Reply, isRoutine: Bool) -> LogLevel {
        if reply.response.status >= 500 { return .error }
        return isRoutine && reply.problem == nil ? .debug : .info
    }
}
