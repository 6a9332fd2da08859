/// An error that ends a measurement.
struct BenchmarkFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
