import JSON
package import POSIX

/// Writes lines to standard error from a thread of its own, in the order in which they came. Whoever has something to say
/// never waits for whoever should read it: what does not fit into the queue is dropped, counted, and said to be missing
/// at the place where it would have stood.
package final class LogStream: Sendable {
    /// Some thousands of lines: what a reader may be late by. Beyond that it has stopped reading.
    private static let longestQueue = 1 << 20
    /// How long what comes in after a write is gathered for the next one: many lines then cost one system call, and a
    /// busy thread hardly ever has to wake this one.
    private static let pause = Duration.milliseconds(2)

    private struct Queue {
        var bytes: [UInt8] = []
        var dropped = 0
        var isClosed = false
        var isDrained = false
    }

    /// Whether lines begin with the priority that the journal takes off again.
    package let isJournal: Bool
    private let queue = Monitor(Queue())
    private let drops = StripedCounters(count: 1)
    private let limit: Int
    private let write: @Sendable ([UInt8]) -> Bool

    /// - Parameter write: returns when all has been taken; false where it cannot be.
    package init(
        isJournal: Bool, longestQueue limit: Int = LogStream.longestQueue,
        write: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(POSIXError) {
        self.isJournal = isJournal
        self.limit = limit
        self.write = write
        _ = try Thread.spawn(name: "log") { [self] in drain() }
    }

    /// Standard error, in the journal's form where it leads there.
    package static func standardError() throws(POSIXError) -> LogStream {
        let journal = ProcessEnvironment.variables()["JOURNAL_STREAM"]
        return try LogStream(isJournal: StandardStream.error.isJournal(named: journal)) {
            StandardStream.error.write($0)
        }
    }

    /// How many lines have been lost for want of a reader.
    package var droppedLines: Int { drops[0] }

    /// Queues a line.
    func append(_ line: [UInt8], of level: LogLevel) {
        let isQueued = queue.change { queue in
            guard !queue.isClosed, queue.bytes.count + line.count < limit else {
                queue.dropped += 1
                return false
            }
            if queue.dropped > 0 { mention(&queue) }
            put(line, of: level, in: &queue)
            return true
        }
        if !isQueued { drops.add(1, to: 0) }
    }

    /// Takes no more, and waits until all has been written, but not for ever: nobody may be reading.
    package func close(atMost time: Duration = .seconds(2)) {
        queue.change { $0.isClosed = true }
        _ = queue.wait(atMost: time) { $0.isDrained ? () : nil }
    }

    private func drain() {
        var bytes: [UInt8] = []
        while exchange(&bytes) {
            if !write(bytes) { drops.add(bytes.count { $0 == UInt8(ascii: "\n") }, to: 0) }
            bytes.removeAll(keepingCapacity: true)
            Thread.pause(for: Self.pause)
        }
        queue.change { $0.isDrained = true }
    }

    /// Waits, and puts what has come in into the place of what has been written, whose memory is for what comes next. False
    /// when nothing will come any more.
    private func exchange(_ written: inout [UInt8]) -> Bool {
        queue.wait { queue in
            if queue.bytes.isEmpty, queue.dropped > 0 { mention(&queue) }
            guard !queue.bytes.isEmpty else { return queue.isClosed ? false : nil }
            swap(&queue.bytes, &written)
            return true
        }
    }

    private func mention(_ queue: inout Queue) {
        let dropped = queue.dropped
        queue.dropped = 0
        let line = LogLine.bytes(.error, "log_lines_dropped") { $0.member("count", dropped) }
        put(line, of: .error, in: &queue)
    }

    private func put(_ line: [UInt8], of level: LogLevel, in queue: inout Queue) {
        if isJournal { queue.bytes.append(contentsOf: level.journalPrefix.utf8) }
        queue.bytes.append(contentsOf: line)
        queue.bytes.append(UInt8(ascii: "\n"))
    }
}
