import CommandLineTool

@main
struct StandInProgram {
    /// As it was called. For one release, `fake-apple` is another name for `stand-in`.
    static let name =
        CommandLine.arguments[0].split(separator: "/").last == "fake-apple" ? "fake-apple" : "stand-in"

    static func main() {
        Program(
            name: name, summary: "Plays Apple and the other parties that Gatehouse talks to, for development.",
            commands: [ServeCommand(), MintCommand(), NotifyCommand(), ConsoleCommand()],
            errors: TextErrorReporter(program: name)
        ).main()
    }
}
