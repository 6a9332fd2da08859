/// All that is measured within one process.
enum Catalog {
    /// Does something so many times.
    typealias Work = (_ count: Int) throws -> Void

    struct Entry: Sendable {
        let name: String
        /// - Parameter folder: where it may make files.
        let prepare: @Sendable (_ folder: String) throws -> Work
    }

    static let all = tokens + bodies + decisions + storage

    static func work(_ name: String, in folder: String) throws -> Work {
        guard let entry = all.first(where: { $0.name == name }) else { throw BenchmarkFault("there is no \(name)") }
        return try entry.prepare(folder)
    }

    static func repeating<Result>(_ body: @escaping () throws -> Result) -> Work {
        { count in for _ in 0..<count { use(try body()) } }
    }

    /// Nobody sees from outside that a result is not needed.
    @inline(never)
    private static func use<Result>(_ result: Result) {
        withExtendedLifetime(result) {}
    }
}
