// SwiftPM compiles this as the main program of all tests. Without it, it would look for tests of XCTest in an index of the
// whole program, which takes longer to write than the programs to compile.
import Testing

@main
struct TestProgram {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
