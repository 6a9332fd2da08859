import CommandLineTool
import Gatehouse
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
        self.transfer = transfer
        self.store = store
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
