/// The measurements in one process.
enum Catalog {
    /// Repeats the measured work `count` times.
    typealias Work = (_ count: Int) throws -> Void

    struct Entry: Sendable {
        let name: String
        /// - Parameter folder: for the files of the measurement.
        let prepare: @Sendable (_ folder: String) throws -> Work
    }

    static let all = tokens + bodies + decisions + storage

    static func work(_ name: String, in folder: String) throws -> Work {
        guard let entry = all.first(where: { $0.name == name }) else {
            throw BenchmarkFault("there is no measurement \(name): `list` prints the names")
        }
        return try entry.prepare(folder)
    }

    static func repeating<Result>(_ body: @escaping () throws -> Result) -> Work {
        { count in for _ in 0..<count { use(try body()) } }
    }

    /// Keeps the optimiser from removing work whose result is not used.
    @inline(never)
    private static func use<Result>(_ result: Result) {
        withExtendedLifetime(result) {}
    }
}
