import Gatehouse
import JSON

/// What a step of a transfer did, or has to do. It names users by their ids alone.
struct AppTransferReport {
    let step: TransferStep
    /// As they were before the run.
    let before: TransferCounts
    /// Nil for a dry run.
    let tally: TransferTally?
    /// Those that Apple has refused in this run or before.
    let refused: Int

    var hasUnmoved: Bool { refused > 0 || tally?.conflicts.isEmpty == false || before.forOtherTeam > 0 }

    var report: Report { Report(json: .object(json), text: lines.joined(separator: "\n")) }

    private var json: JSONObject {
        var json: JSONObject = [
            "step": .string(step.word), "team": .string(step.team), "doneBefore": .integer(Int64(before.done)),
            "refused": .integer(Int64(refused)), "forOtherTeam": .integer(Int64(before.forOtherTeam)),
        ]
        if case .import = step { json["withoutTransferSubject"] = .integer(Int64(before.withoutTransferSubject)) }
        if let tally {
            json["done"] = .integer(Int64(tally.done))
            json["conflicts"] = .integer(Int64(tally.conflicts.count))
        } else {
            json["waiting"] = .integer(Int64(before.waiting))
        }
        return json
    }

    private var lines: [String] {
        guard let tally else {
            return ["\(step.word): \(before.waiting) accounts wait, \(before.done) are done"] + refusals + otherTeam
                + unexported
        }
        return ["\(step.word): \(tally.done) accounts done, \(before.done) were done before"] + refusals
            + conflicts(tally.conflicts.count) + otherTeam + unexported + next
    }

    private var refusals: [String] {
        guard refused > 0 else { return [] }
        return [
            "\(refused) are refused by Apple, usually because the user has withdrawn their consent: --retry-refused asks again"
        ]
    }

    private func conflicts(_ count: Int) -> [String] {
        guard count > 0 else { return [] }
        return [
            "\(count) were not moved, because the person has signed in as a new user meanwhile: --report FILE names both users"
        ]
    }

    private var otherTeam: [String] {
        guard before.forOtherTeam > 0 else { return [] }
        return ["\(before.forOtherTeam) were exported for another team than \(step.team), and were left out"]
    }

    private var unexported: [String] {
        guard case .import = step, before.withoutTransferSubject > 0 else { return [] }
        return [
            "\(before.withoutTransferSubject) have no transfer subject: users who came after the transfer need none; for the "
                + "others, export once more with the former team's credentials"
        ]
    }

    private var next: [String] {
        guard case .export = step else { return [] }
        return [
            "next, after the transfer: set the credentials of \(step.team), and run gatehouse apple transfer import"
        ]
    }
}

extension TransferStep {
    var word: String {
        switch self {
        case .export: "export"
        case .import: "import"
        }
    }
}
