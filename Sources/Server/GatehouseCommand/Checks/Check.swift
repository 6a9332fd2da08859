import CommandLineTool
import FileSystem
import GatehouseServer
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

    func hasFault(of subject: String) -> Bool {
        findings.contains { $0.subject == subject && $0.finding.grade == .fault }
    }

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

/// How an operator lets the user of the service read a file of settings.
enum FilePermission {
    static func advice(for user: String, toRead file: String) -> String {
        if file == ConfigurationFile.usualPath { return "chmod 644 \(file)" }
        // It may hold a secret.
        return "chgrp \(user) \(file.shellQuoted) && chmod 640 \(file.shellQuoted)"
    }
}

/// Settings for development in the environment of a running server, for example from `Environment=` of its unit. Only
/// root can read them, because the server's memory is protected from other processes of its user. No file that they
/// name is opened.
struct ServerEnvironment: Sendable, Equatable {
    private static let names: Set<String> = [
        Settings.table.process.environment.name, Settings.table.sessions.developmentSecret.name,
        Settings.table.apple.keysURL.name,
        Settings.table.apple.tokenURL.name, Settings.table.apple.revokeURL.name,
    ]

    private let variables: [String: String]

    /// - Parameter process: nil if no server is running.
    init(of process: Int?) {
        let bytes = process.flatMap { try? File.read("/proc/\($0)/environ") } ?? []
        self.init(parsing: bytes)
    }

    /// Reads pairs `NAME=value`, each followed by a zero byte (proc(5)).
    init(parsing bytes: [UInt8]) {
        let pairs = bytes.split(separator: 0).compactMap { entry -> (String, String)? in
            let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { return nil }
            return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
        }
        variables = Dictionary(pairs.filter { Self.names.contains($0.0) }) { first, _ in first }
    }

    subscript(_ name: String) -> String? { variables[name] }

    var environment: AppEnvironment? { self[Settings.table.process.environment.name].flatMap(AppEnvironment.init) }
}
