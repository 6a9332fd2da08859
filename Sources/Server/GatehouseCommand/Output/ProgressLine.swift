import FileSystem
import GatehouseStore
import POSIX

/// A line on the terminal that shows the progress of a long operation and is redrawn until the operation ends.
///
/// It is on standard error, so that standard output stays the same for scripts. If standard error is not a terminal,
/// nothing is shown.
struct ProgressLine {
    /// The line appears after this delay.
    static let delay = Duration.seconds(2)
    private static let interval = Duration.milliseconds(500)
    private static let eraseLine = "\r\u{1B}[K"

    /// Runs an operation with a line for it.
    static func showing<Result>(_ operation: (Progress) throws -> Result) rethrows -> Result {
        let progress = Progress()
        let isOver = Monitor(false)
        guard Terminal.showsErrors, let thread = try? display(progress, until: isOver) else {
            return try operation(progress)
        }
        defer {
            isOver.change { $0 = true }
            thread.join()
        }
        return try operation(progress)
    }

    private static func display(_ progress: Progress, until isOver: Monitor<Bool>) throws(POSIXError) -> Thread {
        let stopwatch = Stopwatch()
        return try Thread.spawn(name: "progress") {
            var time = delay
            while isOver.wait(atMost: time, for: { $0 ? true : nil }) == nil {
                let seconds = stopwatch.nanoseconds / 1_000_000_000
                if let text = progress.text { write("\(eraseLine)\(text) (\(seconds) s)") }
                time = interval
            }
            if stopwatch.nanoseconds >= delay.wholeMilliseconds * 1_000_000 { write(eraseLine) }
        }
    }

    private static func write(_ text: String) {
        _ = StandardStream.error.write(Array(text.utf8))
    }
}
