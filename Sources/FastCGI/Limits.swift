/// What one peer may ask of this process.
package struct Limits: Sendable {
    /// Bytes of one request's parameters. Fronts let in 32 KiB of headers (nginx: 4 × 8 KiB) and send the query twice.
    package var parameters = 64 << 10

    /// Bytes of one request's body: what the API promises to read before it answers 413.
    package var body = 64 << 10

    /// Open connections. A front opens as many as its clients times its workers; an idle one costs some hundred bytes.
    package var connections = 4096

    /// How long a request may take to arrive, from its first byte on. Fronts send a request when they have all of it.
    package var incompleteFor: Duration = .seconds(10)

    /// How long an answer may wait for its peer to read the next byte.
    package var unreadFor: Duration = .seconds(10)

    /// How long a connection may be idle. Longer than nginx keeps one (30 s in nginx/conf.d/gatehouse.conf, 60 s where nothing
    /// is set), so that it is nginx that closes: a request that it sends into a connection just closed here is a 502.
    package var idleFor: Duration = .seconds(90)

    /// How long a refused body is read and thrown away, so that its sender sees the answer and no reset connection.
    package var lingerFor: Duration = .seconds(2)

    /// How long shutting down waits for requests under way: longer than any handler, shorter than a service manager (30 s).
    package var drain: Duration = .seconds(25)

    /// How often deadlines are looked at; they are late by as much.
    package var sweepEvery: Duration = .seconds(1)

    package static let standard = Limits()

    package init() {}
}
