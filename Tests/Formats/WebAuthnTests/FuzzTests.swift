import TestSupport
import Testing

@Suite("Passkeys: fuzzing", .needs(.time))
struct FuzzTests {
    @Test("no input of a fuzzer crashes a reader, reads beyond its memory, or is accepted against the rules")
    func fuzz() throws {
        let folder = try TemporaryFolder()
        let script = Executable.root + "/Tests/Formats/WebAuthnTests/Fuzzing/fuzz"
        let outcome = try Shell.outcome(of: [script, folder.path, "-runs=100000", "-print_final_stats=1"])
        #expect(outcome.status == 0, "\(outcome.errorOutput.suffix(4000))")
        #expect(outcome.errorOutput.contains("stat::number_of_executed_units: 100000"))
    }
}
