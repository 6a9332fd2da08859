import Gatehouse
import POSIX
import Synchronization

/// Counts the requests of services by their names, which the operator chooses: a request without a right token has none.
final class ServiceCounts: MetricSource {
    private let services = Mutex<[String: StripedCounters]>([:])

    init(_ access: ServiceAccess) { add(access) }

    /// A service that was configured before keeps its number.
    func add(_ access: ServiceAccess) {
        services.withLock { services in
            for name in access.names where services[name] == nil { services[name] = StripedCounters(count: 1) }
        }
    }

    func count(_ name: String) { services.withLock { $0[name] }?.add(1, to: 0) }

    func write(to text: inout Exposition) {
        text.begin(
            Family("gatehouse_service_requests_total", .counter, "Requests for users and about tokens, by service."))
        for (name, count) in services.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.sample(count[0], [("service", name)])
        }
    }
}
