import JSON
import TestSupport

extension Machine {
    struct Fault: Equatable {
        let subject: String
        let message: String
        let advice: String
    }

    /// The faults that `gatehouse check` reports, without the fault that the fake Apple always causes.
    func faults() throws -> [Fault] {
        let report = try JSONValue(parsing: run("gatehouse check --json").output).object ?? [:]
        let checks = (report["checks"]?.array ?? []).compactMap(\.object)
        guard checks.count > 10 else {
            throw Spawn.Failure(description: "gatehouse check reports too few checks: \(report)")
        }
        return checks.filter { $0["state"] == "fault" }.map { check in
            Fault(
                subject: check["subject"]?.string ?? "", message: check["message"]?.string ?? "",
                advice: check["advice"]?.string ?? "")
        }.filter { !$0.message.contains("is not Apple") }
    }
}
