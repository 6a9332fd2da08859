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
        let commands = cluster.lines("curl")
        try cluster.expectSuccess(of: commands)
        let kills = cluster.lines("kill")
        #expect(kills.map { $0.suffix(12).contains("node") } == [false, false, true])
        for line in kills {
            try cluster.expectSuccess(of: [line])
            #expect(cluster.isWhole(), "after \(line): \(cluster.parts)")
            // The nodes serve again within two seconds of there being a primary.
            sleep(2)
            try cluster.expectSuccess(of: commands)
        }
        #expect(cluster.stop() == 0)
    }

    @Test("After a run that was killed with the Patronis, the next one ends the remaining processes, and has the users")
    func killed() throws {
        let first = try RunningCluster()
        let login = try #require(first.lines("curl").first)
        try first.expectSuccess(of: [login])
        let (primary, standby) = try (first.processes(of: "primary"), first.processes(of: "standby"))
        // Of each member Patroni is the first process, and PostgreSQL's main process the second one.
        first.signal(SIGKILL, [primary[0], standby[0], first.process.identifier])
        _ = first.process.wait()
        for process in [primary[1], standby[1]] { #expect(kill(process, 0) == 0, "PostgreSQL needs no Patroni") }
        let second = try RunningCluster(in: first.folder)
        for process in [primary[1], standby[1]] { #expect(kill(process, 0) != 0) }
        let me = try #require(second.lines("curl").first { $0.contains("/users/me ") })
        let refresh = try #require(second.lines("curl").first { $0.contains("/auth/refresh") })
        try second.expectSuccess(of: [me, refresh, me])
        #expect(second.stop() == 0)
    }
}

extension RunningCluster {
    /// Pastes commands that print nothing but answers.
    fileprivate func expectSuccess(of lines: [String], _ location: SourceLocation = #_sourceLocation) throws {
        let outcome = try paste(lines)
        #expect(
            outcome.errorOutput == "", "\(lines) printed \(outcome.text), the script \(page.suffix(500))",
            sourceLocation: location)
    }
}
