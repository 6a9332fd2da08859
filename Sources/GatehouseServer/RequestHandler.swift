import FastCGI
import Gatehouse
import GatehouseWeb
import JSON

/// Stands between the responder and the router: turns one's values into the other's, and notes each request.
struct RequestHandler: Sendable {
    let assembly: Assembly
    let log: Log
    let traffic: Traffic

    func answer(_ exchange: borrowing FastCGI.Request) -> FastCGI.Response {
        let id = exchange.parameter("REQUEST_ID").flatMap(RequestID.accepted) ?? newRequestID()
        let request = GatehouseWeb.Request(exchange, id: id)
        let router = assembly.router
        let response = router.respond(to: request)
        traffic.count(status: response.status)
        // What a client wrote may be anything: a token, for one.
        let path = router.pattern(of: request.path) ?? "unknown"
        log(
            response.status >= 500 ? .error : .debug, "request",
            [
                ("id", .string(id)), ("method", .string(request.method)), ("path", .string(path)),
                ("status", .integer(Int64(response.status))),
            ])
        return FastCGI.Response(head: response.cgi(requestID: id))
    }

    private func newRequestID() -> String {
        Identifier.make("req", at: assembly.world.now(), random: assembly.world.random(Identifier.randomBytes))
    }
}
