import CommandLineTool

@main
struct ConsoleProgram {
    static func main() {
        Program(
            name: "gatehouse-console", summary: "Serves the page of deploy/run that shows requests, answers and logs.",
            commands: [ServeCommand()], errors: TextErrorReporter(program: "gatehouse-console")
        ).main()
    }
}
