import FastCGI
import Gatehouse
package import GatehouseWeb
import JSON
import POSIX

/// Stands between the responder and the router: turns one's values into the other's, and notes each request in the log
/// and in the metrics.
package struct RequestHandler: Sendable {
    let edition: Current<Edition>
    let counts: RequestCounts
    let log: Log
    let world: World

    func answer(_ exchange: borrowing FastCGI.Request, into bytes: inout [UInt8]) {
        let id = exchange.parameters["REQUEST_ID"].flatMap(RequestID.accepted) ?? newRequestID()
        let request = GatehouseWeb.Request(exchange, id: id)
        answer(request).write(answering: request.method, requestID: id, to: &bytes)
    }

    package func answer(_ request: GatehouseWeb.Request) -> GatehouseWeb.Response {
        let router = edition.value.router
        let current = CurrentRequest.own
        let watch = Stopwatch()
        counts.begin()
        current.begin(request.id)
        let reply = router.answer(request)
        let nanoseconds = watch.nanoseconds
        counts.end(
            route: reply.route, method: request.method, status: reply.response.status, nanoseconds: nanoseconds)
        note(request, reply, of: router, by: current, nanoseconds)
        current.end()
        return reply.response
    }

    /// One line, in which nothing is a client's own text: that may be anything, a token for one.
    private func note(
        _ request: GatehouseWeb.Request, _ reply: Reply, of router: Router, by current: CurrentRequest,
        _ nanoseconds: Int
    ) {
        let route = reply.route.map { router.routes[$0] }
        let level = Self.level(reply, isRoutine: route?.isRoutine ?? false)
        log.line(level, "request") { line in
            line.member("method", MethodLabel.of(request.method))
            line.member("path", route?.path ?? RequestCounts.unknownPath)
            line.member("status", reply.response.status)
            line.member("milliseconds", thousandths: nanoseconds / 1000)
            if let problem = reply.problem {
                line.member("code", problem.code)
                if let reason = problem.reason { line.member("reason", reason) }
            }
            if let user = current.userID { line.member("user", user.text) }
            if let session = current.sessionID { line.member("session", session.text) }
        }
    }

    /// What machines ask all the time is worth a line where something is wrong: a guarded request has its line in nginx's
    /// log, and would have every one of them twice.
    private static func level(_ reply: Reply, isRoutine: Bool) -> LogLevel {
        if reply.response.status >= 500 { return .error }
        return isRoutine && reply.problem == nil ? .debug : .info
    }

    private func newRequestID() -> String {
        Identifier.make("req", at: world.now(), random: world.random(Identifier.randomBytes))
    }
}
