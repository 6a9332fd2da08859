import CommandLineTool
import JSON

/// A subject of `gatehouse check`. A check collects facts, and evaluates them in a function without I/O.
protocol Check {
    var subject: String { get }

    /// Returns at least one finding.
    func run() -> [Finding]
}

extension Check {
    /// The findings, each with its subject.
    func report() -> [(subject: String, finding: Finding)] { run().map { (subject, $0) } }
}

/// A result of a check, and what to do about it.
struct Finding: Sendable, Equatable {
    enum Grade: String, Sendable {
        case ok
        /// Worth knowing, or not checked.
        case note
        case fault
    }

    let grade: Grade
    let message: String
    /// A command to run, or the part of the report or the file to look at.
    let advice: String?

    static func ok(_ message: String) -> Finding { Finding(grade: .ok, message: message, advice: nil) }

    static func note(_ message: String, _ advice: String? = nil) -> Finding {
        Finding(grade: .note, message: message, advice: advice)
    }

    /// A fault always comes with advice.
    static func fault(_ message: String, _ advice: String) -> Finding {
        Finding(grade: .fault, message: message, advice: advice)
    }
}

/// The report of all checks: a line for each finding, and the advice below it.
struct CheckReport {
    let findings: [(subject: String, finding: Finding)]

    var hasFaults: Bool { findings.contains { $0.finding.grade == .fault } }

    var report: Report { Report(json: json, text: text) }

    private var text: String {
        let width = findings.map(\.subject.count).max() ?? 0
        return findings.flatMap { subject, finding in
            let grade = finding.grade == .fault ? "FAULT" : finding.grade.rawValue
            let line = grade.padded(to: 7) + subject.padded(to: width + 2) + finding.message.printable
            return [line] + (finding.advice.map { ["       → " + $0.printable] } ?? [])
        }.joined(separator: "\n")
    }

    private var json: JSONValue {
        let checks = findings.map { subject, finding in
            JSONValue.object([
                "subject": .string(subject), "state": .string(finding.grade.rawValue),
                "message": .string(finding.message), "advice": finding.advice.map(JSONValue.string) ?? .null,
            ])
        }
        return .object(["ok": .bool(!hasFaults), "checks": .array(checks)])
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
