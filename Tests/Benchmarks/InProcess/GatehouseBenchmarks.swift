import FileSystem
import Glibc
import JSON

/// The program that `deploy/bench` runs for measurements in one process, and to mint the logins for measurements through
/// nginx. It prints a line of JSON for each measurement.
@main
struct GatehouseBenchmarks {
    static let usage = """
        usage: GatehouseBenchmarks list
               GatehouseBenchmarks time NAME MILLISECONDS FOLDER      measure the time of batches
               GatehouseBenchmarks run NAME COUNT FOLDER              run COUNT times, for an external profiler or counter
               GatehouseBenchmarks mint KEYS FILE COUNT < SUBJECTS    write COUNT login bodies, one per line
        """

    static func main() {
        do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
            StandardStream.error.line("\(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("list", 1):
            for entry in Catalog.all { StandardStream.output.line(entry.name) }
        case ("time", 4):
            StandardStream.output.line(try timed(arguments[1], Int(arguments[2]) ?? 0, arguments[3]).description)
        case ("run", 4):
            StandardStream.output.line(try counted(arguments[1], Int(arguments[2]) ?? 0, arguments[3]).description)
        case ("mint", 4):
            try Minting.write(Int(arguments[3]) ?? 0, keys: arguments[1], to: arguments[2])
        default:
            throw BenchmarkFault(usage)
        }
    }

    private static func timed(_ name: String, _ milliseconds: Int, _ folder: String) throws -> JSONObject {
        let work = try Catalog.work(name, in: folder)
        // The first run loads pages and algorithms and fills caches, which is not measured.
        try work(3)
        let count = try Timing.batch(of: work)
        let batches = try Timing.batches(of: work, count: count, for: milliseconds)
        return [
            "name": .string(name), "batch": .integer(Int64(count)),
            "nanoseconds": .array(batches.map { .number(Double($0) / Double(count)) }),
        ]
    }

    /// Allocations are counted when the library for it is preloaded.
    private static func counted(_ name: String, _ count: Int, _ folder: String) throws -> JSONObject {
        let work = try Catalog.work(name, in: folder)
        try work(20)
        let before = AllocationCounter.count
        try work(count)
        let after = AllocationCounter.count
        var result: JSONObject = ["name": .string(name), "count": .integer(Int64(count))]
        if let before, let after { result["allocations"] = .number(Double(after - before) / Double(max(1, count))) }
        return result
    }
}
