import Gatehouse
import JSON

/// What the endpoints for monitoring report. They are not reachable from outside.
package struct Operations: Sendable {
    /// Reads the store, and returns why that failed; nil when it succeeded.
    package let storeFailure: @Sendable (_ requestID: String) -> String?
    package let readiness: @Sendable (_ requestID: String) -> Readiness
    /// All metrics in Prometheus' text format.
    package let metrics: @Sendable () -> [UInt8]

    package init(
        storeFailure: @escaping @Sendable (_ requestID: String) -> String?,
        readiness: @escaping @Sendable (_ requestID: String) -> Readiness, metrics: @escaping @Sendable () -> [UInt8]
    ) {
        (self.storeFailure, self.readiness, self.metrics) = (storeFailure, readiness, metrics)
    }
}

extension Operations {
    /// Whether the process is alive and can read the store.
    func health(_ request: Request, in context: inout RequestContext) throws -> Response {
        if let failure = storeFailure(request.id) { throw Problem.unhealthy(failure) }
        return .ok(HealthBody())
    }

    /// Whether the process can do all of its work, and what is wrong when it cannot.
    func ready(_ request: Request, in context: inout RequestContext) throws -> Response {
        let readiness = readiness(request.id)
        guard !readiness.isReady else { return .ok(ReadinessBody(parts: readiness.parts)) }
        let problem = Problem.notReady(readiness.summary)
        var response = problem.response(requestID: request.id)
        response.body = ReadinessBody(parts: readiness.parts, problem: problem.body(requestID: request.id)).json
        return response
    }

    func report(_ request: Request, in context: inout RequestContext) throws -> Response {
        let type = Response.Header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        return Response(status: 200, headers: [type], body: metrics())
    }
}

/// Whether the server can do all of its work, one component at a time.
package struct Readiness: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        /// A stable name for scripts.
        package let name: String
        package let isReady: Bool
        /// The state in words; when it is not ready, what to do about it.
        package let detail: String

        package init(_ name: String, isReady: Bool, _ detail: String) {
            (self.name, self.isReady, self.detail) = (name, isReady, detail)
        }
    }

    package let parts: [Part]

    package init(parts: [Part]) {
        self.parts = parts
    }

    package var isReady: Bool { parts.allSatisfy(\.isReady) }

    /// The details of all components that are not ready, in one line.
    package var summary: String {
        parts.filter { !$0.isReady }.map(\.detail).joined(separator: "; ")
    }
}

private struct HealthBody: ResponseBody {
    func write(to json: inout JSONObjectWriter) {
        json.member("status", "ok")
    }
}

/// When something is not ready, a problem document with the same parts in it.
private struct ReadinessBody: ResponseBody {
    let parts: [Readiness.Part]
    var problem: ProblemBody?

    func write(to json: inout JSONObjectWriter) {
        problem?.write(to: &json)
        json.member("ready", problem == nil)
        json.member("parts", objects: parts) { $0.write(to: &$1) }
    }
}

extension Readiness.Part {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("name", name)
        json.member("ready", isReady)
        json.member("detail", detail)
    }
}
