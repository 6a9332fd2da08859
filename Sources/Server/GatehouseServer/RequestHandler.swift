import FastCGI
import Gatehouse
import GatehouseStore
package import GatehouseWeb
import JSON
import POSIX
import Text

/// Connects the FastCGI responder with the router, and records each request in the log and in the metrics.
package struct RequestHandler: Sendable {
    let services: Current<ConfiguredServices>
    let counts: RequestCounts
    let serviceCounts: ServiceCounts
    let refusals: RefusalCounts
    let log: Log
    let platform: Platform

    func answer(_ exchange: borrowing FastCGI.Request, into bytes: inout [UInt8]) {
        let id = exchange.parameters["REQUEST_ID"].flatMap(RequestID.accepted) ?? newRequestID()
        let request = GatehouseWeb.Request(exchange, id: id)
        answer(request).write(answering: request.method, requestID: id, to: &bytes)
    }

    package func answer(_ request: GatehouseWeb.Request) -> GatehouseWeb.Response {
        let router = services.value.router
        let watch = Stopwatch()
        counts.begin()
        var context = RequestContext(id: request.id)
        let reply = RequestArrival.now { router.answer(request, in: &context) }
        let nanoseconds = watch.nanoseconds
        counts.end(
            route: reply.route, method: request.method, status: reply.response.status, nanoseconds: nanoseconds)
        if let service = context.service { serviceCounts.count(service) }
        if let problem = reply.problem {
            refusals.count(problem.code)
            if let failure = problem.storeFailure { log.storeFailure(failure, context.id) }
        }
        logRequest(request, reply, route: reply.route.map { router.routes[$0] }, context, nanoseconds)
        return reply.response
    }

    private func newRequestID() -> String {
        ULID.make("req", at: platform.now(), random: platform.random(ULID.randomBytes))
    }
}
