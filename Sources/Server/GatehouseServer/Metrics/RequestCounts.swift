import Gatehouse
import GatehouseWeb
import POSIX
import Synchronization

/// Counts requests by route, method and status, and their durations. It runs for every request, without
/// a lock or an allocation.
final class RequestCounts: MetricSource {
    /// The label of unknown paths: a client's text must not become a label.
    static let unknownPath = "unknown"

    /// Not the routes themselves: their endpoints report these counts, and would keep the store open in a circle.
    private let routes: [(method: GatehouseWeb.Method, path: String)]
    private let paths: [String]
    /// The index in `paths` of each route, and of unknown paths.
    private let pathOfRoute: [Int]
    private let durations: [Histogram]
    private let requests: StripedCounters
    private let inFlight = StripedCounters(count: 1)

    init(routes: [Route]) {
        self.routes = routes.map { ($0.method, $0.path) }
        var paths: [String] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        pathOfRoute = routes.map { route in paths.firstIndex(of: route.path) ?? 0 } + [paths.count]
        self.paths = paths + [Self.unknownPath]
        durations = (0...routes.count).map { _ in Histogram.ofDurations() }
        requests = StripedCounters(count: self.paths.count * MethodLabel.all.count * StatusLabel.all.count)
    }

    func begin() { inFlight.add(1, to: 0) }

    /// - Parameter route: the index of the route in `routes`; nil for an unknown path.
    func end(route: Int?, method: String, status: Int, nanoseconds: Int) {
        inFlight.add(-1, to: 0)
        let route = route ?? routes.count
        durations[route].observe(nanoseconds)
        requests.add(1, to: index(pathOfRoute[route], MethodLabel.index(of: method), StatusLabel.index(of: status)))
    }

    private func index(_ path: Int, _ method: Int, _ status: Int) -> Int {
        (path * MethodLabel.all.count + method) * StatusLabel.all.count + status
    }
}

// MARK: - Writing

extension RequestCounts {
    /// All answered requests, and those among them that failed on the server's side.
    var total: (answered: Int, failed: Int) {
        var total = (answered: 0, failed: 0)
        for index in 0..<requests.count {
            total.answered += requests[index]
            if StatusLabel.isFailure(index % StatusLabel.all.count) { total.failed += requests[index] }
        }
        return total
    }

    func write(to text: inout Exposition) {
        writeRequests(to: &text)
        text.begin(
            "gatehouse_http_request_duration_seconds", .histogram,
            "Time from a complete request to its complete answer, by route. The time of clients and nginx is not included."
        )
        for (index, route) in routes.enumerated() {
            text.histogram(durations[index].content, [("route", route.path), ("method", route.method.rawValue)])
        }
        text.histogram(
            durations[routes.count].content, [("route", Self.unknownPath), ("method", MethodLabel.other)])
        text.write("gatehouse_http_requests_in_flight", .gauge, "Requests that are being answered.", inFlight[0])
    }

    private func writeRequests(to text: inout Exposition) {
        text.begin("gatehouse_http_requests_total", .counter, "Requests answered, by route, method and status.")
        for (path, label) in paths.enumerated() {
            for (method, name) in MethodLabel.all.enumerated() {
                for (status, number) in StatusLabel.all.enumerated() {
                    let count = requests[index(path, method, status)]
                    guard count > 0 || isExpected(label, name, number) else { continue }
                    text.sample(count, [("route", label), ("method", name), ("status", number)])
                }
            }
        }
    }

    /// Whether the line is written even if it is zero. Prometheus does not see an increase when a line first appears.
    private func isExpected(_ path: String, _ method: String, _ status: String) -> Bool {
        status == StatusLabel.failure && routes.contains { $0.path == path && $0.method.rawValue == method }
    }
}

/// The methods with a label of their own. A client may send any text as a method.
enum MethodLabel {
    static let other = "OTHER"
    static let all = ["GET", "POST", "PATCH", "DELETE", "HEAD", "PUT", "OPTIONS", other]

    static func index(of method: String) -> Int { all.firstIndex(of: method) ?? all.count - 1 }

    /// The method as the log may contain it.
    static func of(_ method: String) -> String { all[index(of: method)] }
}

/// The statuses with a label of their own.
enum StatusLabel {
    /// The status of failures on the server's side.
    static let failure = "503"
    private static let numbers = [200, 202, 204, 304, 400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503]
    static let all = numbers.map(String.init) + ["other"]

    static func isFailure(_ index: Int) -> Bool { index < numbers.count && numbers[index] >= 500 }

    static func index(of status: Int) -> Int { numbers.firstIndex(of: status) ?? numbers.count }
}

/// Counts refused requests by the code of their problem. The codes are the server's own: their number is bounded.
final class RefusalCounts: MetricSource {
    /// Those of alerts are written from the start: Prometheus does not see an increase when a line first appears.
    private let counts = Mutex<[String: Int]>(["invalid_redirect_uri": 0, "phone_required": 0])

    func count(_ code: String) { counts.withLock { $0[code, default: 0] += 1 } }

    func write(to text: inout Exposition) {
        text.begin("gatehouse_refusals_total", .counter, "Requests answered with a problem, by its code.")
        for (code, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.sample(count, [("code", code)])
        }
    }
}

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
        text.begin("gatehouse_service_requests_total", .counter, "Requests for users and about tokens, by service.")
        for (name, count) in services.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.sample(count[0], [("service", name)])
        }
    }
}
