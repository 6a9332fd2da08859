/// Finds the endpoint of a request, and turns whatever goes wrong on the way into a problem document.
package final class Router: Sendable {
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

    package let routes: [Route]
    private let places: [Place]

    package init(_ endpoints: [any Endpoint]) {
        routes = endpoints.map { Route(method: $0.method, path: $0.path, isRoutine: $0.isRoutine) }
        let candidates = endpoints.enumerated().map { Candidate($1, route: $0) }
        var paths: [String] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        places = paths.map { path in Place(path: path, candidates: candidates.filter { $0.endpoint.path == path }) }
    }

    package func respond(to request: Request) -> Response { answer(request).response }

    package func answer(_ request: Request) -> Reply {
        if let place = place(at: request.path.span) { return answer(request, at: place) }
        guard let (place, argument) = placeWithArgument(for: request.path) else {
            return Reply(response: Problem.notFound.response(requestID: request.id), problem: .notFound)
        }
        var request = request
        request.pathArgument = argument
        return answer(request, at: place)
    }

    private func answer(_ request: Request, at place: Place) -> Reply {
        do throws(Problem) {
            return answer(request, by: try place.candidate(for: request))
        } catch {
            return Reply(response: error.response(requestID: request.id), route: place.route, problem: error)
        }
    }

    private func answer(_ request: Request, by candidate: Candidate) -> Reply {
        do throws(Problem) {
            return Reply(response: try candidate.endpoint.respond(to: request), route: candidate.route)
        } catch {
            let response = candidate.endpoint.response(to: error, of: request)
            return Reply(response: response, route: candidate.route, problem: error)
        }
    }

    /// The paths are few, and nearly all of another length: looking at each is less than hashing one.
    private func place(at path: Span<UInt8>) -> Place? {
        for place in places where place.isAt(path) { return place }
        return nil
    }

    /// That of the path with its last segment as an argument.
    private func placeWithArgument(for path: ArraySlice<UInt8>) -> (place: Place, argument: String)? {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let argument = path[(slash + 1)...]
        let pattern = path[...slash] + "{id}".utf8
        guard !argument.isEmpty, let place = place(at: pattern.span) else { return nil }
        return (place, String(decoding: argument, as: UTF8.self))
    }
}

extension Router {
    /// An endpoint and its place in `routes`, with what every request at its path asks of it. A class, so that whoever
    /// chooses among them copies none.
    private final class Candidate: Sendable {
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

    /// A path, and what can be asked for there.
    private final class Place: Sendable {
        private let path: [UInt8]
        private let candidates: [Candidate]
        private let open: Candidate?

        init(path: String, candidates: [Candidate]) {
            self.path = Array(path.utf8)
            self.candidates = candidates
            open = candidates.first { $0.answersAnyRequest }
        }

        /// The route that counts where the method is not served.
        var route: Int { candidates[0].route }

        func isAt(_ other: Span<UInt8>) -> Bool {
            guard path.count == other.count else { return false }
            for index in other.indices where path[index] != other[index] { return false }
            return true
        }

        func candidate(for request: Request) throws(Problem) -> Candidate {
            if let open { return open }
            // A HEAD is a GET whose body is not sent.
            let method = request.method == "HEAD" ? Method.get.rawValue : request.method
            guard let candidate = candidates.first(where: { $0.method.rawValue == method }) else {
                throw .methodNotAllowed(allowed: candidates.map(\.method))
            }
            guard !request.bodyIsTooLarge else { throw .payloadTooLarge }
            return candidate
        }
    }
}
