import FileSystem
import JSON
package import POSIX
import Processes

/// Writes lines to standard error on a thread of its own, in order. A thread that logs never waits for the
/// reader of the log: lines that do not fit into the queue are dropped and counted, and a line in their place
/// says how many are missing.
package final class LogStream: Sendable {
    /// Bytes, some thousands of lines. A reader that is further behind has stopped reading.
    private static let longestQueue = 1 << 20
    /// The delay between two writes. During the delay lines gather, so that many lines cost one system call, and a busy
    /// thread seldom has to wake the writing thread.
    private static let pause = Duration.milliseconds(2)

    private struct Queue {
        var bytes: [UInt8] = []
        var dropped = 0
        var isClosed = false
        var isDrained = false
    }

    /// Whether each line begins with a priority, which the journal removes.
    package let isJournal: Bool
    private let queue = Monitor(Queue())
    private let drops = StripedCounters(count: 1)
    private let limit: Int
    private let write: @Sendable ([UInt8]) -> Bool

    /// - Parameter write: writes all bytes; false when that fails.
    package init(
        isJournal: Bool, longestQueue limit: Int = LogStream.longestQueue,
        write: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(POSIXError) {
        (self.isJournal, self.limit, self.write) = (isJournal, limit, write)
        _ = try Thread.spawn(name: "log") { [self] in drain() }
    }

    /// Standard error, with priorities when it is connected to the journal.
    package static func standardError() throws(POSIXError) -> LogStream {
        let journal = ProcessEnvironment.variables()["JOURNAL_STREAM"]
        return try LogStream(isJournal: StandardStream.error.isJournal(named: journal)) {
            StandardStream.error.write($0)
        }
    }

    /// The number of lines that were lost because nothing read the log.
    package var droppedLines: Int { drops[0] }

    /// Queues a line.
    func append(_ line: [UInt8], of level: LogLevel) {
        let isQueued = queue.change { queue in
            guard !queue.isClosed, queue.bytes.count + line.count < limit else {
                queue.dropped += 1
                return false
            }
            if queue.dropped > 0 { appendDropped(&queue) }
            put(line, of: level, in: &queue)
            return true
        }
        if !isQueued { drops.add(1, to: 0) }
    }

    /// Accepts no more lines, and waits for a limited time until the queued ones have been written.
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

    /// Waits for lines and swaps the two buffers, so that their memory is reused. False when the
    /// stream is closed and empty.
    private func exchange(_ written: inout [UInt8]) -> Bool {
        queue.wait { queue in
            if queue.bytes.isEmpty, queue.dropped > 0 { appendDropped(&queue) }
            guard !queue.bytes.isEmpty else { return queue.isClosed ? false : nil }
            swap(&queue.bytes, &written)
            return true
        }
    }

    private func appendDropped(_ queue: inout Queue) {
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
