/// Lines of the log that nobody will read.
struct LogCounts: MetricSource {
    let log: Log

    func write(to text: inout Exposition) {
        text.begin(
            Family(
                "gatehouse_log_lines_dropped_total", .counter, "Lines of the log that were lost for want of a reader."))
        text.sample(log.droppedLines)
    }
}
