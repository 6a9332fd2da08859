import Gatehouse
import GatehouseAPI

/// `GET /healthz`: whether this process is alive, down to a read of the store. Not reachable from outside.
struct HealthEndpoint: Endpoint {
    let method = Method.get
    let path = "/healthz"
    let isRoutine = true
    /// Reads something of the store.
    let check: @Sendable () throws(StoreFailure) -> Void

    func respond(to request: Request) throws(Problem) -> Response {
        do throws(StoreFailure) { try check() } catch { throw .unwell(error.cause.advice) }
        return .ok(HealthBody())
    }
}
