import CommandLineTool

@main
struct FakeAppleCommand {
    static func main() {
        Program(
            name: "fake-apple", summary: "Stands in for Apple and other parties on this machine, for development.",
            commands: [ServeCommand(), MintCommand(), NotifyCommand()],
            errors: TextErrorReporter(program: "fake-apple")
        ).main()
    }
}
