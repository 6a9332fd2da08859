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

    private func endpoint(for request: inout Request) throws(Problem) -> any Endpoint {
        guard let candidates = candidates(for: &request) else { throw .notFound }
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
    private func candidates(for request: inout Request) -> [any Endpoint]? {
        if let exact = endpoints[request.path] { return exact }
        guard let slash = request.path.lastIndex(of: "/") else { return nil }
        let argument = request.path[request.path.index(after: slash)...]
        guard !argument.isEmpty, let candidates = endpoints[request.path[...slash] + "{id}"] else { return nil }
        request.pathArgument = String(argument)
        return candidates
    }
}
