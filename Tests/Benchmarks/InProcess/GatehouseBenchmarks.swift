import Glibc
import JSON
import POSIX

/// What `deploy/bench` asks of this process: its measurements, and the tokens for those that go through nginx. Answers
/// with a line of JSON for each measurement.
@main
struct GatehouseBenchmarks {
    static let usage = """
        usage: GatehouseBenchmarks list
               GatehouseBenchmarks time NAME MILLISECONDS FOLDER      how long it takes, in many batches
               GatehouseBenchmarks run NAME COUNT FOLDER              that many times, for whoever counts from outside
               GatehouseBenchmarks mint KEYS FILE COUNT < SUBJECTS    login bodies, one a line
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
        // The first time pages are read, algorithms fetched and caches filled, which is no part of what is measured.
        try work(3)
        let count = try Timing.batch(of: work)
        let batches = try Timing.batches(of: work, count: count, for: milliseconds)
        return [
            "name": .string(name), "batch": .integer(Int64(count)),
            "nanoseconds": .array(batches.map { .number(Double($0) / Double(count)) }),
        ]
    }

    /// Allocations are counted where the library for it has been loaded before this program.
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
