// SwiftPM compiles this as the main program of all tests. Without this file, SwiftPM looks for tests of XCTest in an index of
// all tests, and deploy/lib/build writes none.
import Testing

@main
struct TestProgram {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
