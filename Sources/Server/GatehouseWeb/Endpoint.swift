package import Gatehouse

/// One operation of the API: a method and a path.
package protocol Endpoint: Sendable {
    var method: Method { get }
    /// A segment in braces, such as `{id}`, matches any text, which the request then has as `pathArgument`.
    var path: String { get }
    /// Whether the endpoint answers requests of every method and size. The guard (`/api/auth/verify`) must, because
    /// nginx calls it on behalf of other requests.
    var answersAnyRequest: Bool { get }
    /// Whether nginx, monitoring or services call the endpoint all the time, so that a success is not logged.
    var isRoutine: Bool { get }
    /// Whether an access token authorises the request, and another token is in its body. Then an invalid token in the
    /// body is 422 instead of 401, because a client that refreshes on 401 would repeat the request for ever.
    func isAuthorisedByAccessToken(_ request: Request) -> Bool

    /// Throws a `Problem`, or a `Refusal` of the domain, and nothing else. The router turns both into an answer.
    func respond(to request: Request, in context: inout RequestContext) throws -> Response

    /// The answer to a request that failed.
    func response(to problem: Problem, of request: Request) -> Response
}

extension Endpoint {
    package var answersAnyRequest: Bool { false }

    package var isRoutine: Bool { false }

    package func isAuthorisedByAccessToken(_ request: Request) -> Bool { false }

    package func response(to problem: Problem, of request: Request) -> Response {
        problem.response(requestID: request.id)
    }
}
