/// `GET /metrics`: what has been counted, as Prometheus reads it. Not reachable from outside.
struct MetricsEndpoint: Endpoint {
    let method = Method.get
    let path = "/metrics"
    let isRoutine = true
    let write: @Sendable () -> [UInt8]

    func respond(to request: Request) throws(Problem) -> Response {
        let type = Response.Header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        return Response(status: 200, headers: [type], body: write())
    }
}
