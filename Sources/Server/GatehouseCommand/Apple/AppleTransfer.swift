import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseStore
import IdentityProviders
import POSIX

/// What both commands of a transfer do.
struct AppleTransfer {
    static let statuses = """

        Exits 0 if all are done, 1 if some cannot be moved, 2 if Apple refuses the credentials, 3 if Apple or the database does not
        answer: then run it again. Also 3 if Apple refuses the first 20 users: check the teams, and whether the app was
        transferred, less than 60 days ago.
        """
    static let options = [
        Option(name: "--dry-run", help: "say how many accounts wait; ask Apple nothing"),
        Option(name: "--retry-refused", help: "ask about users whom Apple has refused before, too"),
        Option(name: "--report", value: "FILE", help: "write the ids of users who were not moved, a line of JSON each"),
        Option(name: "--parallel", value: "NUMBER", help: "requests to Apple at a time (8)"),
        .json,
    ]

    private let arguments: Arguments
    private let threads: Int

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        guard let threads = Int(arguments.value("--parallel") ?? "8"), 1...32 ~= threads else {
            throw CommandError(.usage, "--parallel must be a number from 1 to 32")
        }
        self.threads = threads
    }

    /// - Parameter step: for the team of the settings.
    func run(_ step: (_ own: String) throws(CommandError) -> TransferStep) throws(CommandError) -> ExitStatus {
        let source = SettingSource.current()
        if let fault = source.closedFolder { throw CommandError(.usage, fault.description) }
        // Before the database is opened, which gives up the right to read the key.
        let (server, clientIDs) = try readSettings { () throws(SettingFaults) in
            try Configuration.appleTransfer(from: source)
        }
        let step = try step(server.teamID)
        let database = try ConfiguredDatabase.read()
        do {
            let store = try database.store()
            let transfer = AppTransfer(
                step, store: store, apple: AppleMigrationEndpoint(server), defaultClientID: clientIDs[0],
                now: Platform.system.now, pause: { Thread.pause(for: $0) }, operatorName: database.operatorName)
            return try perform(transfer, in: store)
        } catch let error as CommandError {
            throw error
        } catch Refusal.storageUnavailable(let failure) {
            throw CommandError(.failed, failure.description)
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    private func perform(_ transfer: AppTransfer, in store: any ServerStore) throws -> ExitStatus {
        let step = transfer.step
        let before = try store.transferCounts(for: step)
        guard !arguments.has("--dry-run") else {
            AppTransferReport(step: step, before: before, tally: nil, refused: before.refused).report
                .print(for: arguments)
            return .done
        }
        guard before.forOtherTeam == 0 || before.waiting + before.done > 0 else {
            throw AppleTransferExplanation.otherTeam(step, before)
        }
        let file = arguments.value("--report").map(UnmovedUsersFile.init)
        try file?.create()
        let run = AppTransferRun(transfer, store: store, holdsRefusalsBack: !arguments.has("--retry-refused"))
        try ProgressLine.showing { progress in
            let total = before.waiting + (arguments.has("--retry-refused") ? before.refused : 0)
            progress.begin("asking Apple", unit: "accounts", total: Int64(total)) { run.asked }
            try run.perform(retriesRefused: arguments.has("--retry-refused"), threads: threads)
        }
        let fault = try run.finish()
        let refused = try refusedUsers(of: step, in: store)
        try file?.write(UnmovedUsersFile.users(refused, run.tally))
        if let fault { throw AppleTransferExplanation(step: step, tally: run.tally).error(for: fault) }
        if run.tally.refusesAll { throw AppleTransferExplanation(step: step, tally: run.tally).refusesAll }
        let report = AppTransferReport(step: step, before: before, tally: run.tally, refused: refused.count)
        report.report.print(for: arguments)
        return report.hasUnmoved ? .no : .done
    }

    /// Those of this run and of runs before.
    private func refusedUsers(of step: TransferStep, in store: any ServerStore) throws -> [UserID] {
        var users: [UserID] = []
        var last = ""
        while true {
            let accounts = try store.accounts(awaiting: step, refused: true, after: last, limit: 1000)
            guard let end = accounts.last else { return users }
            users += accounts.map(\.userID)
            last = end.id
        }
    }
}

/// Why a step has stopped, and what to do.
struct AppleTransferExplanation {
    let step: TransferStep
    let tally: TransferTally

    private var progress: String { "\(tally.done) accounts are done: run it again to go on" }

    func error(for fault: TransferFault) -> CommandError {
        switch fault {
        case .apple(.credentialsRefused(let word)):
            CommandError(
                .usage,
                "Apple refuses the credentials: \(word). APPLE_TEAM_ID, APPLE_KEY_ID and APPLE_PRIVATE_KEY must be those of "
                    + "\(owner), and APPLE_BUNDLE_ID the transferred app, which is in no group; \(progress)")
        case .apple(.unavailable(let reason)):
            CommandError(.failed, "the request to Apple failed: \(reason); \(progress)")
        // Counted, and no fault of a run.
        case .apple(.userRefused): CommandError(.failed, "Apple refuses a user; \(progress)")
        case .store(.storageUnavailable(let failure)): CommandError(.failed, "\(failure.description); \(progress)")
        case .store(let refusal): CommandError(.failed, "\(refusal); \(progress)")
        }
    }

    private var owner: String {
        switch step {
        case .export: "the team that gives the app away"
        case .import: "the team that got the app"
        }
    }

    var refusesAll: CommandError {
        let check =
            switch step {
            case .export(let team): "is \(team) the id of the team that gets the app?"
            case .import: "is the transfer complete, and less than 60 days ago?"
            }
        return CommandError(
            .failed,
            "Apple has refused the first \(tally.refused) users with invalid_request, and moved none: \(check) Nothing was "
                + "changed. If all of them may have withdrawn their consent: --retry-refused")
    }

    static func otherTeam(_ step: TransferStep, _ counts: TransferCounts) -> CommandError {
        CommandError(
            .usage,
            "all \(counts.forOtherTeam) accounts with a transfer subject were exported for another team than APPLE_TEAM_ID, "
                + "\(step.team): set the credentials of the team that got the app")
    }
}
