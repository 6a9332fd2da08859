/// Finds the endpoint of a request, and turns whatever goes wrong on the way into a problem document.
package struct Router: Sendable {
    /// What can be asked for, for whoever counts and keeps the log.
    package struct Route: Sendable, Equatable {
        package let method: Method
        /// As endpoints write it, which is no client's text.
        package let path: String
        package let isRoutine: Bool

        package init(method: Method, path: String, isRoutine: Bool) {
            self.method = method
            self.path = path
            self.isRoutine = isRoutine
        }
    }

    /// An endpoint and its place in `routes`, with what every request at its path asks of it.
    private struct Candidate {
        let endpoint: any Endpoint
        let route: Int
        let method: Method
        let answersAnyRequest: Bool

        init(_ endpoint: any Endpoint, route: Int) {
            self.endpoint = endpoint
            self.route = route
            method = endpoint.method
            answersAnyRequest = endpoint.answersAnyRequest
        }
    }

    package let routes: [Route]
    private let candidates: [String: [Candidate]]

    package init(_ endpoints: [any Endpoint]) {
        routes = endpoints.map { Route(method: $0.method, path: $0.path, isRoutine: $0.isRoutine) }
        let all = endpoints.enumerated().map { Candidate($1, route: $0) }
        candidates = Dictionary(grouping: all, by: \.endpoint.path)
    }

    package func respond(to request: Request) -> Response { answer(request).response }

    package func answer(_ request: Request) -> Reply {
        if let candidates = candidates[request.path] { return answer(request, byOneOf: candidates) }
        guard let (candidates, argument) = candidatesWithArgument(for: request.path) else {
            return Reply(response: Problem.notFound.response(requestID: request.id), problem: .notFound)
        }
        var request = request
        request.pathArgument = argument
        return answer(request, byOneOf: candidates)
    }

    private func answer(_ request: Request, byOneOf candidates: [Candidate]) -> Reply {
        do throws(Problem) {
            return answer(request, by: try chosen(of: candidates, for: request))
        } catch {
            return Reply(
                response: error.response(requestID: request.id), route: candidates[0].route, problem: error)
        }
    }

    private func answer(_ request: Request, by candidate: Candidate) -> Reply {
        do throws(Problem) {
            return Reply(response: try candidate.endpoint.respond(to: request), route: candidate.route)
        } catch {
            let response = candidate.endpoint.response(to: error, requestID: request.id)
            return Reply(response: response, route: candidate.route, problem: error)
        }
    }

    private func chosen(of candidates: [Candidate], for request: Request) throws(Problem) -> Candidate {
        if let open = candidates.first(where: { $0.answersAnyRequest }) { return open }
        // A HEAD is a GET whose body the front keeps to itself.
        let method = request.method == "HEAD" ? Method.get.rawValue : request.method
        guard let candidate = candidates.first(where: { $0.method.rawValue == method }) else {
            throw .methodNotAllowed(allowed: candidates.map(\.method))
        }
        guard !request.bodyIsTooLarge else { throw .payloadTooLarge }
        return candidate
    }

    /// Those of the path with its last segment as an argument.
    private func candidatesWithArgument(for path: String) -> (all: [Candidate], argument: String)? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let argument = path[path.index(after: slash)...]
        guard !argument.isEmpty, let candidates = candidates[path[...slash] + "{id}"] else { return nil }
        return (candidates, String(argument))
    }
}
