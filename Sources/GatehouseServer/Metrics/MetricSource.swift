/// Somebody who knows some of the metrics.
protocol MetricSource: Sendable {
    /// Writes each of its metrics, also those of which there is nothing yet: so a dashboard and an alert can tell "never"
    /// from "unknown". Asked by whichever thread serves `/metrics`.
    func write(to text: inout Exposition)
}
