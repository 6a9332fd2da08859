import Gatehouse

/// `GET /api/openapi.json`: describes the API for tools.
struct OpenAPIEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/openapi.json"
    let document: PublishedDocument

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        document.response(to: request, type: "application/json")
    }
}
