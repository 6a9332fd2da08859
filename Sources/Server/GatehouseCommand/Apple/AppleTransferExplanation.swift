import CommandLineTool
import Gatehouse

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
