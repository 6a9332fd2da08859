/// Finds the endpoint of a request, and turns whatever goes wrong on the way into a problem document.
package struct Router: Sendable {
    private let endpoints: [String: [any Endpoint]]

    package init(_ endpoints: [any Endpoint]) {
        self.endpoints = Dictionary(grouping: endpoints, by: \.path)
    }

    package func respond(to request: Request) -> Response {
        do throws(Problem) {
            var request = request
            return try endpoint(for: &request).respond(to: request)
        } catch {
            return error.response(requestID: request.id)
        }
    }

    /// The path as endpoints write it, which is no client's text; nil where there is nothing.
    package func pattern(of path: String) -> String? {
        candidates(for: path)?.endpoints[0].path
    }

    private func endpoint(for request: inout Request) throws(Problem) -> any Endpoint {
        guard let (candidates, argument) = candidates(for: request.path) else { throw .notFound }
        request.pathArgument = argument
        if let open = candidates.first(where: \.answersAnyRequest) { return open }
        // A HEAD is a GET whose body the front keeps to itself.
        let method = request.method == "HEAD" ? Method.get.rawValue : request.method
        guard let endpoint = candidates.first(where: { $0.method.rawValue == method }) else {
            throw .methodNotAllowed(allowed: candidates.map(\.method))
        }
        guard !request.bodyIsTooLarge else { throw .payloadTooLarge }
        return endpoint
    }

    /// Those of the path as it is, or of the same with its last segment as an argument.
    private func candidates(for path: String) -> (endpoints: [any Endpoint], argument: String)? {
        if let exact = endpoints[path] { return (exact, "") }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let argument = path[path.index(after: slash)...]
        guard !argument.isEmpty, let candidates = endpoints[path[...slash] + "{id}"] else { return nil }
        return (candidates, String(argument))
    }
}
