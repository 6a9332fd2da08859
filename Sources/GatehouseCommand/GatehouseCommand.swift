import Glibc

@main
struct GatehouseCommand {
    static let commands: [any Command] = [
        ServeCommand(), CheckCommand(), MigrateCommand(), AppleVerifyCommand(), JWSVerifyCommand(),
        FakeAppleCommand(), FakeAppleMintCommand(), VersionCommand(),
    ]

    static func main() {
        let status = Dispatcher(commands: commands).run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }
}
