import Glibc
import POSIX

@main
struct GatehouseCommand {
    static let commands: [any Command] = [
        ServeCommand(), ReloadCommand(), HealthCommand(), CheckCommand(), MigrateCommand(), BackupCommand(),
        RestoreCommand(), KeysGenerateCommand(), KeysRotateCommand(), KeysRetireCommand(), KeysResealCommand(),
        // What operators do beside a server that may be running.
        UsersListCommand(), UsersShowCommand(), UsersDisableCommand(), UsersEnableCommand(), UsersRoleCommand(),
        UsersDeleteCommand(), UsersSessionsCommand(), SessionsRevokeCommand(), AuditCommand(),
        AppleVerifyCommand(), JWSVerifyCommand(), FakeAppleCommand(), FakeAppleMintCommand(),
        FakeAppleNotifyCommand(), VersionCommand(),
    ]

    static func main() {
        // Before any secret is read: most commands read some.
        forbidCoreDumps()
        // Databases, keys, whatever a command makes: it holds what is nobody else's.
        File.keepNewOnesPrivate()
        Signals.ignoreFailedWrites()
        let status = Dispatcher(commands: commands).run(Array(CommandLine.arguments.dropFirst()))
        // A script that was given half an answer is not to take it for the whole.
        if StandardStream.hasLostOutput { Complaint(of: nil).make("the answer could not be written") }
        exit(StandardStream.hasLostOutput ? ExitStatus.failed.rawValue : status.rawValue)
    }

    private static func forbidCoreDumps() {
        do throws(POSIXError) { try CoreDump.forbid() } catch {
            Complaint(of: nil).make("core dumps cannot be turned off: \(error)")
            exit(ExitStatus.failed.rawValue)
        }
    }
}
