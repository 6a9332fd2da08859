import Gatehouse
import Testing

@Suite("Rotation in any order of events")
struct RotationInterleavingTests {
    /// Some that are the same each time, and some that never were before.
    private static let seeds =
        [4_561_609_085_896_022_693, 16_914_203_596_348_469_793] + Array(1...200)
        + (0..<200).map { _ in UInt64.random(in: .min ... .max) }

    private func runs(isBesieged: Bool) throws -> [RotationRun] {
        try Self.seeds.map { seed in
            var run = try RotationRun(seed: seed, isBesieged: isBesieged)
            for step in 0..<120 where run.broken.isEmpty {
                try run.step()
                if !run.broken.isEmpty { Issue.record("seed \(seed), step \(step): \(run.broken)") }
            }
            return run
        }
    }

    @Test("an owner who retries within the grace is never refused, whatever is lost")
    func ownerAlone() throws {
        let runs = try runs(isBesieged: false)
        #expect(runs.reduce(0) { $0 + $1.rotations } > 1000, "the dice let something happen")
    }

    @Test("a thief, a forger and late packets share one chain, and end it")
    func besieged() throws {
        let runs = try runs(isBesieged: true)
        for reason in [RevokeReason.reuse, .logout] {
            #expect(runs.contains { $0.row.revokeReason == reason }, "the dice let \(reason) happen")
        }
    }
}
