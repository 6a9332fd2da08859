import Testing

@testable import GatehouseServer

@Suite("The text of the metrics")
struct ExpositionTests {
    private func text(_ body: (inout Exposition) -> Void) -> String {
        var text = Exposition()
        text.begin("a_total", .counter, "A help text.")
        body(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private let head = "# HELP a_total A help text.\n# TYPE a_total counter\n"

    @Test("a metric has its help, its type and a line for each sample")
    func lines() {
        let written = text {
            $0.sample(3)
            $0.sample(-1, [("x", "1"), ("y", "two")])
        }
        #expect(written == head + "a_total 3\na_total{x=\"1\",y=\"two\"} -1\n")
    }

    @Test(
        "numbers have the form that Prometheus reads, and an unknown one is NaN",
        arguments: [
            (0.0, "0.0"), (0.00025, "0.00025"), (1e-7, "1e-07"), (1.5e17, "1.5e+17"), (Double.nan, "NaN"),
            (Double.infinity, "+Inf"), (-Double.infinity, "-Inf"), (nil, "NaN"),
        ] as [(Double?, String)])
    func numbers(value: Double?, expected: String) {
        #expect(text { $0.sample(value) } == head + "a_total \(expected)\n")
    }

    @Test("quotes, backslashes and line ends in labels are escaped")
    func labels() {
        #expect(text { $0.sample(1, [("x", "a\"b\\c\nd")]) } == head + #"a_total{x="a\"b\\c\nd"} 1"# + "\n")
    }

    @Test("the buckets of a histogram are cumulative")
    func histogram() {
        let histogram = Histogram(bounds: [500, 1000], unit: 1000)
        for value in [0, 500, 501, 1000, 1001, 9000] { histogram.observe(value) }
        let expected = """
            a_total_bucket{r="x",le="0.5"} 2
            a_total_bucket{r="x",le="1.0"} 4
            a_total_bucket{r="x",le="+Inf"} 6
            a_total_sum{r="x"} 12.002
            a_total_count{r="x"} 6

            """
        #expect(text { $0.histogram(histogram.content, [("r", "x")]) } == head + expected)
    }
}
