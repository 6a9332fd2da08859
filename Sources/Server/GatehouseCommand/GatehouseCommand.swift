import CommandLineTool
import FileSystem
import GatehouseServer

@main
struct GatehouseCommand {
    static let commands: [any Command] = [
        ServeCommand(), ReloadCommand(), HealthCommand(), CheckCommand(), MigrateCommand(), BackupCommand(),
        RestoreCommand(), MoveCommand(), KeysGenerateCommand(), KeysRotateCommand(), KeysRetireCommand(),
        KeysResealCommand(), ProvidersListCommand(), ProvidersShowCommand(),
        UsersListCommand(), UsersShowCommand(), UsersDisableCommand(), UsersEnableCommand(), UsersRoleCommand(),
        UsersAttributesCommand(),
        UsersUnlinkCommand(), UsersDeleteCommand(), UsersImportCommand(), UsersExportCommand(),
        UsersConvertFirebaseCommand(), UsersConvertSupabaseCommand(), UsersSessionsCommand(), SessionsRevokeCommand(),
        UsersMergeCommand(), UsersUnmergeCommand(), AuditCommand(), AuditExportCommand(), EventsListCommand(),
        EventsShowCommand(), EventsRetryCommand(), EventsDiscardCommand(), EventsReceiversCommand(),
        EventsTestCommand(), EventsResumeCommand(), EventsForgetCommand(), CodesTestCommand(),
        AppleTransferExportCommand(), AppleTransferImportCommand(), AppleVerifyCommand(),
        IdentityVerifyCommand(), DPoPVerifyCommand(), JWSVerifyCommand(), OpenAPICommand(),
        VersionCommand(),
    ]

    static func main() {
        Program(
            name: "gatehouse", summary: "A login backend behind nginx.", commands: commands, errors: LogErrorReporter()
        ).main()
    }
}

struct VersionCommand: Command {
    let words = ["version"]
    let summary = "Print the version."

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        StandardStream.output.line("gatehouse \(Version.current)")
        return .done
    }
}
