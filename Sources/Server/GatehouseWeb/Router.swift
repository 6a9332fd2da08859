package import Gatehouse

/// An answer, with the facts that metrics and the log need.
package struct Reply: Sendable {
    package fileprivate(set) var response: Response
    /// The index in `Router.routes` of the route, or of another route at the same path when the method is not
    /// allowed; nil for an unknown path.
    package var route: Int?
    /// Why the request failed; nil after a success.
    package var problem: Problem?
}

/// Finds the endpoint of a request, and turns every failure into a problem document.
package final class Router: Sendable {
    package let routes: [Route]
    private let resources: [Resource]
    private let auth: AuthService
    private let requiresProofNonce: Bool
    private let crossOrigin: CrossOrigin

    init(_ routes: [Route], auth: AuthService) {
        (self.routes, self.auth) = (routes, auth)
        requiresProofNonce = auth.requiresProofNonce
        crossOrigin = CrossOrigin(auth.web.corsOrigins)
        let candidates = routes.enumerated().map { Candidate(index: $0, route: $1) }
        var paths: [String] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        resources = paths.map { path in
            Resource(path: path, candidates: candidates.filter { $0.route.path == path })
        }
    }

    package func answer(_ request: Request, in context: inout RequestContext) -> Reply {
        var reply = find(request, in: &context)
        // RFC 9449, section 8.2
        if requiresProofNonce, request.bytes(of: .proof) != nil,
            let header = Response.Header("DPoP-Nonce", checking: auth.proofNonce())
        {
            reply.response.headers.append(header)
        }
        crossOrigin.permit(request, toRead: &reply.response)
        return reply
    }

    private func find(_ request: Request, in context: inout RequestContext) -> Reply {
        if let answer = crossOrigin.preflightAnswer(to: request) {
            let resource = resource(at: request.path.span) ?? resourceWithArgument(for: request.path)?.resource
            return Reply(response: answer, route: resource?.index)
        }
        if let resource = resource(at: request.path.span) { return answer(request, at: resource, in: &context) }
        guard let (resource, argument) = resourceWithArgument(for: request.path) else {
            return Reply(response: Problem.notFound.response(requestID: request.id), problem: .notFound)
        }
        var request = request
        request.pathArgument = argument
        return answer(request, at: resource, in: &context)
    }

    private func answer(_ request: Request, at resource: Resource, in context: inout RequestContext) -> Reply {
        let candidate: Candidate
        do throws(Problem) {
            candidate = try resource.candidate(for: request)
        } catch {
            return Reply(response: error.response(requestID: request.id), route: resource.index, problem: error)
        }
        let route = candidate.route
        do {
            return Reply(response: try route.respond(request, auth, &context), route: candidate.index)
        } catch {
            let problem = Problem(error, of: route, answering: request)
            return Reply(response: route.problemResponse(problem, request), route: candidate.index, problem: problem)
        }
    }

    /// There are few paths and nearly all differ in length, so comparing each is faster than hashing one.
    private func resource(at path: Span<UInt8>) -> Resource? {
        for resource in resources where resource.hasPath(path) { return resource }
        return nil
    }

    /// The resource of a path that contains an argument.
    private func resourceWithArgument(for path: ArraySlice<UInt8>) -> (resource: Resource, argument: String)? {
        for resource in resources {
            guard let argument = resource.argument(in: path) else { continue }
            // No id contains a NUL, and PostgreSQL cannot store one.
            return argument.contains(0) ? nil : (resource, String(decoding: argument, as: UTF8.self))
        }
        return nil
    }
}

extension Router {
    /// A route and its index in `routes`.
    private typealias Candidate = (index: Int, route: Route)

    /// A path and its routes.
    private final class Resource: Sendable {
        private let path: [UInt8]
        /// What stands before and after the argument; nil for a path without one.
        private let pattern: (start: ArraySlice<UInt8>, end: ArraySlice<UInt8>)?
        private let candidates: [Candidate]
        private let answeringAny: Candidate?
        /// Whether only administrators may know that the path exists.
        private let isHidden: Bool

        init(path: String, candidates: [Candidate]) {
            self.path = Array(path.utf8)
            let bytes = Array(path.utf8)
            let braces = (bytes.firstIndex(of: UInt8(ascii: "{")), bytes.firstIndex(of: UInt8(ascii: "}")))
            pattern =
                if case (let start?, let end?) = braces { (bytes[..<start], bytes[(end + 1)...]) } else { nil }
            self.candidates = candidates
            answeringAny = candidates.first { $0.route.answersAnyRequest }
            isHidden = candidates.allSatisfy { $0.route.access == .administrator }
        }

        /// The route that is counted when the method is not allowed.
        var index: Int { candidates[0].index }

        func hasPath(_ other: Span<UInt8>) -> Bool {
            guard path.count == other.count else { return false }
            for index in other.indices where path[index] != other[index] { return false }
            return true
        }

        /// The segment in the place of the argument; nil if the path does not fit.
        func argument(in other: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            guard let pattern, other.count > pattern.start.count + pattern.end.count,
                other.starts(with: pattern.start), other.suffix(pattern.end.count).elementsEqual(pattern.end)
            else { return nil }
            let argument = other.dropFirst(pattern.start.count).dropLast(pattern.end.count)
            return argument.contains(UInt8(ascii: "/")) ? nil : argument
        }

        func candidate(for request: Request) throws(Problem) -> Candidate {
            if let answeringAny { return answeringAny }
            // A HEAD is a GET whose body is not sent.
            let method = request.method == "HEAD" ? Method.get.rawValue : request.method
            guard let candidate = candidates.first(where: { $0.route.method.rawValue == method }) else {
                throw isHidden ? .notFound : .methodNotAllowed(allowed: candidates.map(\.route.method))
            }
            guard !request.bodyIsTooLarge else { throw isHidden ? .notFound : .payloadTooLarge }
            return candidate
        }
    }
}
