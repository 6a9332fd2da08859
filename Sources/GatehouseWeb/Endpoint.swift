/// One thing that can be asked over HTTP. One file each.
package protocol Endpoint: Sendable {
    var method: Method { get }
    /// Where it is. A last segment `{id}` stands for any text, which the request then has as `pathArgument`.
    var path: String { get }
    /// Asked on behalf of other requests, it answers whatever those are like.
    var answersAnyRequest: Bool { get }
    /// Asked by a machine, all the time: that it went well is not worth a line in the log.
    var isRoutine: Bool { get }

    func respond(to request: Request) throws(Problem) -> Response

    /// What the client is told where the endpoint could not do what it was asked.
    func response(to problem: Problem, of request: Request) -> Response
}

extension Endpoint {
    package var answersAnyRequest: Bool { false }

    package var isRoutine: Bool { false }

    package func response(to problem: Problem, of request: Request) -> Response {
        problem.response(requestID: request.id)
    }
}
