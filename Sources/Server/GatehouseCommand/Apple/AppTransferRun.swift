import CommandLineTool
import FileSystem
import Gatehouse
import JSON
import POSIX

/// Runs a step for all accounts that wait for it, with several requests to Apple at a time.
final class AppTransferRun: Sendable {
    private static let page = 256

    private struct State {
        var tally: TransferTally
        var queue: [TransferAccount] = []
        /// No more accounts will be queued.
        var isComplete = false
        var fault: TransferFault?

        var isStopped: Bool { fault != nil || tally.refusesAll }
    }

    private let transfer: AppTransfer
    private let store: any AppTransferStore
    private let state: Monitor<State>

    /// - Parameter holdsRefusalsBack: see `TransferTally`.
    init(_ transfer: AppTransfer, store: any AppTransferStore, holdsRefusalsBack: Bool) {
        (self.transfer, self.store) = (transfer, store)
        state = Monitor(State(tally: TransferTally(holdsRefusalsBack: holdsRefusalsBack)))
    }

    var tally: TransferTally { state.change { $0.tally } }

    /// How many accounts Apple was asked about.
    var asked: Int64 { state.change { Int64($0.tally.done + $0.tally.refused + $0.tally.conflicts.count) } }

    /// - Parameter retriesRefused: whether to ask about users whom Apple has refused before, too.
    func perform(retriesRefused: Bool, threads: Int) throws {
        var workers: [POSIX.Thread] = []
        defer {
            state.change { $0.isComplete = true }
            for worker in workers { worker.join() }
        }
        // The refused ones first: those that are refused in this run must not be asked about twice.
        for refused in retriesRefused ? [true, false] : [false] {
            try forEachPage(refused: refused) { accounts in
                var accounts = accounts[...]
                // The first one alone: a mistake in the settings is found with one request, and the access token is kept.
                if workers.isEmpty, let first = accounts.popFirst() { work(on: first) }
                state.change { $0.queue += accounts }
                while workers.count < threads {
                    workers.append(try POSIX.Thread.spawn(name: "transfer") { self.work() })
                }
                _ = state.wait { $0.isStopped || $0.queue.count < Self.page / 4 ? true : nil }
            }
        }
    }

    /// Keeps what is left of a run whose threads have ended. Returns why it has ended early.
    func finish() throws -> TransferFault? {
        try transfer.refuse(state.change { $0.tally.finish() })
        try transfer.recordExport(of: tally.done)
        return state.change { $0.fault }
    }

    private func forEachPage(refused: Bool, _ body: ([TransferAccount]) throws -> Void) throws {
        var last = ""
        while !state.change({ $0.isStopped }) {
            let accounts = try store.accounts(
                awaiting: transfer.step, refused: refused, after: last, limit: Self.page)
            guard let end = accounts.last else { return }
            last = end.id
            try body(accounts)
        }
    }

    private func work() {
        while let account = next() { work(on: account) }
    }

    private func next() -> TransferAccount? {
        state.wait { state -> TransferAccount?? in
            if state.isStopped { return .some(nil) }
            if let account = state.queue.popLast() { return account }
            return state.isComplete ? .some(nil) : nil
        }
    }

    private func work(on account: TransferAccount) {
        do throws(TransferFault) {
            let outcome = try transfer.perform(account)
            try transfer.refuse(state.change { $0.tally.add(outcome, of: account) })
        } catch {
            state.change { $0.fault = $0.fault ?? error }
        }
    }
}

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

/// The file of `--report`: a line of JSON for each user whose account was not moved.
struct UnmovedUsersFile {
    let path: String

    /// Creates the file, or finds out early that it cannot be written.
    func create() throws(CommandError) { try write([]) }

    func write(_ users: [JSONObject]) throws(CommandError) {
        do { try File.replace(path, with: Array(users.map { $0.description + "\n" }.joined().utf8)) } catch {
            throw CommandError(
                .usage, "--report: \(path.printable) cannot be written by the owner of the database: \(error)")
        }
    }

    static func users(_ refused: [UserID], _ tally: TransferTally) -> [JSONObject] {
        refused.map { ["userId": .string($0.text), "result": "refused"] }
            + tally.conflicts.map {
                ["userId": .string($0.user.text), "result": "conflict", "otherUserId": .string($0.other.text)]
            }
    }
}
