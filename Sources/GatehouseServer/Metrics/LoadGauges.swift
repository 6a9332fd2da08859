import FastCGI

/// How busy the responder is when somebody asks. Whoever asks keeps one worker and one connection busy by it.
struct LoadGauges: MetricSource {
    unowned let responder: Responder

    func write(to text: inout Exposition) {
        text.begin(Family("gatehouse_connections_open", .gauge, "Open FastCGI connections."))
        text.sample(responder.openConnections)
        text.begin(Family("gatehouse_connections_limit", .gauge, "FastCGI connections that may be open."))
        text.sample(responder.limits.connections)
        text.begin(Family("gatehouse_workers_busy", .gauge, "Threads that are at work on a connection."))
        text.sample(responder.busyWorkers)
        text.begin(Family("gatehouse_workers", .gauge, "Threads that answer (WORKERS)."))
        text.sample(responder.workers)
    }
}
