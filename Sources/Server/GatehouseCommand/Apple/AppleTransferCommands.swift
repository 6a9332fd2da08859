import CommandLineTool
import Gatehouse
import GatehouseServer
import Text

struct AppleTransferExportCommand: Command {
    let words = ["apple", "transfer", "export"]
    let summary = "Before a transfer of the app: ask Apple for the transfer subject of each user."
    let discussion = """
        Reads DATABASE_URL, APPLE_TEAM_ID, APPLE_KEY_ID, APPLE_PRIVATE_KEY and APPLE_BUNDLE_ID: of the team that gives the app
        away. The transfer subjects are kept in the database, and a run that was killed goes on where it was. Each account is
        asked about with the app for which Apple's token of it was made, and otherwise with the first APPLE_BUNDLE_ID.
        """ + AppleTransfer.statuses
    let options =
        [Option(name: "--target", value: "TEAM", help: "the team id of the team that gets the app", isRequired: true)]
        + AppleTransfer.options

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let target = arguments.value("--target") ?? ""
        guard target.utf8.count == 10,
            target.utf8.allSatisfy({ $0.isDigit || $0.isUppercaseLetter })
        else { throw CommandError(.usage, "--target must be a team id: the ten characters that Apple shows for it") }
        return try AppleTransfer(arguments).run { own throws(CommandError) in
            guard target != own else {
                throw CommandError(
                    .usage, "--target is APPLE_TEAM_ID itself: export with the credentials of the team that has the app"
                )
            }
            return .export(to: target)
        }
    }
}

struct AppleTransferImportCommand: Command {
    let words = ["apple", "transfer", "import"]
    let summary = "After a transfer of the app: exchange the transfer subjects for the new team's subjects."
    let discussion = """
        Reads DATABASE_URL, APPLE_TEAM_ID, APPLE_KEY_ID, APPLE_PRIVATE_KEY and APPLE_BUNDLE_ID: of the team that got the app.
        Apple answers for 60 days after the transfer. Users stay signed in, and may sign in meanwhile. A relay address of Apple
        is replaced by the new one. A run that was killed goes on where it was.
        """ + AppleTransfer.statuses
    let options = AppleTransfer.options

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try AppleTransfer(arguments).run { own in .import(into: own) }
    }
}
