import JSON

/// What all looks came to: a line each, and below what is wrong what to do about it.
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
