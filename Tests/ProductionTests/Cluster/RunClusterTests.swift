import Foundation
import TestSupport
import Testing

@Suite(
    "deploy/run --cluster", .serialized, .needs(.cluster),
    .enabled(if: RunningCluster.obstacle == nil, RunningCluster.reason))
struct RunClusterTests {
    @Test("The printed commands work, also after each printed line that kills a part")
    func printedCommands() throws {
        let cluster = try RunningCluster()
        let signIn = try #require(cluster.signIn)
        try cluster.expectSuccess(of: signIn)
        let kills = cluster.lines("kill")
        #expect(kills.map { $0.suffix(12).contains("node") } == [false, false, true])
        for line in kills {
            // On a busy machine a member may just have given up the lead: then the line kills nothing, and says so.
            var errors: [String] = []
            let isKilled = Eventually.holds(within: 60) {
                errors.append((try? cluster.paste([line]).errorOutput) ?? "no shell")
                return errors.last == ""
            }
            #expect(isKilled, "\(line): \(errors)")
            #expect(cluster.isWhole(), "after \(line): \(cluster.parts)")
            // The nodes serve again within two seconds of there being a primary.
            sleep(2)
            try cluster.expectSuccess(of: signIn)
        }
        #expect(cluster.stop() == 0)
    }

    @Test("After a run that was killed with the Patronis, the next one ends the remaining processes, and has the users")
    func killed() throws {
        let first = try RunningCluster()
        try first.expectSuccess(of: #require(first.signIn))
        let (primary, standby) = try (first.processes(of: "primary"), first.processes(of: "standby"))
        // Of each member Patroni is the first process, and PostgreSQL's main process the second one.
        first.signal(SIGKILL, [primary[0], standby[0], first.process.identifier])
        _ = first.process.wait()
        for process in [primary[1], standby[1]] { #expect(kill(process, 0) == 0, "PostgreSQL needs no Patroni") }
        let second = try RunningCluster(in: first.folder)
        for process in [primary[1], standby[1]] { #expect(kill(process, 0) != 0) }
        let data = second.folder.file("data")
        let refresh = "api auth/refresh -d @\(data)/session.json | keep"
        try second.expectSuccess(of: ". \(data)/api.sh; user_api users/me; \(refresh); user_api users/me")
        #expect(second.stop() == 0)
    }
}

extension RunningCluster {
    /// Pastes a line whose requests are all answered with 200, as their statuses on standard error say.
    fileprivate func expectSuccess(of line: String, _ location: SourceLocation = #_sourceLocation) throws {
        let outcome = try paste([line])
        let statuses = Set(outcome.errorOutput.split(separator: "\n"))
        #expect(
            statuses == ["200"], "\(line) printed \(outcome.text), the script \(page.suffix(500))",
            sourceLocation: location)
    }
}
