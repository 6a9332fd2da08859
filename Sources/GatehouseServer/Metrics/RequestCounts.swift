import GatehouseWeb
import POSIX

/// Requests by route, method and status, and what they last. On the way of every request: noting one takes no lock and no
/// memory.
final class RequestCounts: MetricSource {
    /// Of requests for paths at which there is nothing: what a client makes up is no label.
    static let unknownPath = "unknown"

    private let routes: [Router.Route]
    private let paths: [String]
    /// The place in `paths` of each route, and of what has none.
    private let pathOfRoute: [Int]
    private let durations: [Histogram]
    private let requests: StripedCounters
    private let inFlight = StripedCounters(count: 1)

    init(routes: [Router.Route]) {
        self.routes = routes
        var paths: [String] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        pathOfRoute = routes.map { route in paths.firstIndex(of: route.path) ?? 0 } + [paths.count]
        self.paths = paths + [Self.unknownPath]
        durations = (0...routes.count).map { _ in Histogram.ofDurations() }
        requests = StripedCounters(count: self.paths.count * MethodLabel.all.count * StatusLabel.all.count)
    }

    func begin() { inFlight.add(1, to: 0) }

    /// - Parameter route: the place of the route in `routes`; nil where there is none.
    func end(route: Int?, method: String, status: Int, nanoseconds: Int) {
        inFlight.add(-1, to: 0)
        let route = route ?? routes.count
        durations[route].note(nanoseconds)
        requests.add(1, to: place(pathOfRoute[route], MethodLabel.place(of: method), StatusLabel.place(of: status)))
    }

    private func place(_ path: Int, _ method: Int, _ status: Int) -> Int {
        (path * MethodLabel.all.count + method) * StatusLabel.all.count + status
    }
}

// MARK: - Writing

extension RequestCounts {
    /// All that were answered, and those of them with a fault of ours.
    var total: (answered: Int, failed: Int) {
        var total = (answered: 0, failed: 0)
        for place in 0..<requests.count {
            total.answered += requests[place]
            if StatusLabel.isFailure(place % StatusLabel.all.count) { total.failed += requests[place] }
        }
        return total
    }

    func write(to text: inout Exposition) {
        writeRequests(to: &text)
        text.begin(
            Family(
                "gatehouse_http_request_duration_seconds", .histogram,
                "From a whole request to its whole answer, by route. What clients and nginx need beside is not in it."))
        for (index, route) in routes.enumerated() {
            text.histogram(durations[index].content, [("route", route.path), ("method", route.method.rawValue)])
        }
        text.histogram(
            durations[routes.count].content, [("route", Self.unknownPath), ("method", MethodLabel.other)])
        text.begin(
            Family("gatehouse_http_requests_in_flight", .gauge, "Requests that are being answered at this moment."))
        text.sample(inFlight[0])
    }

    private func writeRequests(to text: inout Exposition) {
        text.begin(
            Family("gatehouse_http_requests_total", .counter, "Requests answered, by route, method and status."))
        for (path, label) in paths.enumerated() {
            for (method, name) in MethodLabel.all.enumerated() {
                for (status, number) in StatusLabel.all.enumerated() {
                    let count = requests[place(path, method, status)]
                    guard count > 0 || isExpected(label, name, number) else { continue }
                    text.sample(count, [("route", label), ("method", name), ("status", number)])
                }
            }
        }
    }

    /// A line that stands there with none: whoever waits for the first failure sees a number go up. A line that came
    /// into being with it would look as if it had always been there.
    private func isExpected(_ path: String, _ method: String, _ status: String) -> Bool {
        status == StatusLabel.failure && routes.contains { $0.path == path && $0.method.rawValue == method }
    }
}
