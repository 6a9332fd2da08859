import Gatehouse
import Testing

@Suite("Simulated rotation")
struct RotationSimulationTests {
    /// Fixed seeds, which have found faults before, and new ones for each run.
    private static let seeds =
        [
            4_561_609_085_896_022_693, 16_914_203_596_348_469_793, 16_193_920_559_547_019_296,
            16_592_255_352_787_396_974,
        ] + Array(1...200)
        + (0..<200).map { _ in UInt64.random(in: .min ... .max) }

    private func runs(hasAttackers: Bool) throws -> [RotationSimulation] {
        try Self.seeds.map { seed in
            var run = try RotationSimulation(seed: seed, hasAttackers: hasAttackers)
            for step in 0..<120 where run.violations.isEmpty {
                try run.step()
                if !run.violations.isEmpty { Issue.record("seed \(seed), step \(step): \(run.violations)") }
            }
            return run
        }
    }

    @Test("an owner who retries, however late, is never refused, whatever the network loses")
    func ownerAlone() throws {
        let runs = try runs(hasAttackers: false)
        #expect(runs.reduce(0) { $0 + $1.rotations } > 1000, "the seeds lead to rotations")
    }

    @Test("with a thief, a forger and delayed requests, every rule holds and sessions end")
    func attackers() throws {
        let runs = try runs(hasAttackers: true)
        for reason in [RevokeReason.reuse, .logout] {
            #expect(runs.contains { $0.row.revokeReason == reason }, "the seeds lead to \(reason)")
        }
    }
}
