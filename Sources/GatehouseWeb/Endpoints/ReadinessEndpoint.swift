import Gatehouse
import GatehouseAPI

/// `GET /readyz`: whether this process can do all of its work, and what is wrong where it cannot. Not reachable from
/// outside.
struct ReadinessEndpoint: Endpoint {
    let method = Method.get
    let path = "/readyz"
    let isRoutine = true
    let readiness: @Sendable () -> Readiness

    func respond(to request: Request) throws(Problem) -> Response {
        let readiness = readiness()
        let parts = readiness.parts.map { ReadinessBody.Part(name: $0.name, ready: $0.isReady, detail: $0.detail) }
        guard !readiness.isReady else { return .ok(ReadinessBody(parts: parts)) }
        let problem = Problem.notReady(readiness.complaint)
        var response = problem.response(requestID: request.id)
        response.body = ReadinessBody(parts: parts, problem: problem.body(requestID: request.id)).json
        return response
    }
}
