/// Finds the endpoint of a request, and turns whatever goes wrong on the way into a problem document.
package struct Router: Sendable {
    private let endpoints: [String: [any Endpoint]]

    package init(_ endpoints: [any Endpoint]) {
        self.endpoints = Dictionary(grouping: endpoints, by: \.path)
    }

    package func respond(to request: Request) -> Response {
        do throws(Problem) {
            return try endpoint(for: request).respond(to: request)
        } catch {
            return error.response(requestID: request.id)
        }
    }

    private func endpoint(for request: Request) throws(Problem) -> any Endpoint {
        guard let candidates = endpoints[request.path] else { throw .notFound }
        if let open = candidates.first(where: \.answersAnyRequest) { return open }
        // A HEAD is a GET whose body the front keeps to itself.
        let method = request.method == "HEAD" ? Method.get.rawValue : request.method
        guard let endpoint = candidates.first(where: { $0.method.rawValue == method }) else {
            throw .methodNotAllowed(allowed: candidates.map(\.method))
        }
        guard !request.bodyIsTooLarge else { throw .payloadTooLarge }
        return endpoint
    }
}
