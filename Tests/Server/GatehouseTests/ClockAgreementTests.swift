import Gatehouse
import Testing

@Suite("Agreement of two clocks")
struct ClockAgreementTests {
    private static func reading(_ lead: Int64, within uncertainty: Int64 = 0, lowerBound: Bool = false) -> ClockReading
    {
        ClockReading(
            lead: .milliseconds(lead), uncertainty: .milliseconds(uncertainty), isLowerBound: lowerBound)
    }

    private static func differs(_ lead: Int64) -> ClockAgreement { .differs(by: .milliseconds(lead)) }

    @Test(
        "a clock that knows the time decides by more than 30 s, and a slow answer decides nothing",
        arguments: [
            (reading(0), ClockAgreement.agrees), (reading(30_000), .agrees), (reading(-30_000), .agrees),
            (reading(30_001), differs(30_001)), (reading(-30_001), differs(-30_001)),
            (reading(86_400_000), differs(86_400_000)), (reading(-7_862_400_000), differs(-7_862_400_000)),
            // The answer took twice the uncertainty.
            (reading(29_000, within: 1000), .agrees), (reading(29_001, within: 1000), .unconfirmed(atMost: nil)),
            (reading(31_000, within: 1000), .unconfirmed(atMost: nil)),
            (reading(31_001, within: 1000), differs(31_001)), (reading(0, within: 60_000), .unconfirmed(atMost: nil)),
            (reading(-31_001, within: 1000), differs(-31_001)),
        ])
    func authority(_ reading: ClockReading, _ expected: ClockAgreement) {
        #expect(ClockAgreement.decide(authorities: [reading], memory: nil) == expected)
    }

    @Test(
        "the time last known decides while the machine runs, is a lower bound after that, and nothing is known without it",
        arguments: [
            (reading(30_000), ClockAgreement.agrees), (reading(30_001), differs(30_001)),
            (reading(-30_001), differs(-30_001)), (reading(30_000, lowerBound: true), .agrees),
            (reading(-30_000, lowerBound: true), .agrees),
            // The machine may have been off for as long, or the clock is wrong.
            (reading(30_001, lowerBound: true), .unconfirmed(atMost: .milliseconds(30_001))),
            (reading(-30_001, lowerBound: true), differs(-30_001)), (nil, .unconfirmed(atMost: nil)),
        ] as [(ClockReading?, ClockAgreement)])
    func memory(_ reading: ClockReading?, _ expected: ClockAgreement) {
        #expect(ClockAgreement.decide(authorities: [], memory: reading) == expected)
    }

    @Test(
        "clocks that know the time decide before the time last known, and one that differs before one that agrees",
        arguments: [
            (authorities: [reading(0)], memory: reading(90_000), expected: ClockAgreement.agrees),
            (authorities: [reading(90_000)], memory: reading(0), expected: differs(90_000)),
            (authorities: [reading(0), reading(90_000)], memory: reading(0), expected: differs(90_000)),
            (authorities: [reading(0, within: 60_000)], memory: reading(0), expected: .agrees),
            (authorities: [reading(0)], memory: reading(90_000, lowerBound: true), expected: .agrees),
        ] as [(authorities: [ClockReading], memory: ClockReading, expected: ClockAgreement)])
    func priority(_ authorities: [ClockReading], _ memory: ClockReading, _ expected: ClockAgreement) {
        #expect(ClockAgreement.decide(authorities: authorities, memory: memory) == expected)
    }

    @Test(
        "a node is apart from a database with which most of the other nodes agree, and from no other",
        arguments: [
            (agreement: differs(300_001), others: [0], isApart: true),
            (agreement: differs(-300_001), others: [0], isApart: true),
            (agreement: differs(300_000), others: [0], isApart: false),
            (agreement: differs(86_400_000), others: [], isApart: false),
            (agreement: differs(86_400_000), others: [86_400_000], isApart: false),
            (agreement: differs(86_400_000), others: [0, 86_400_000], isApart: false),
            (agreement: differs(86_400_000), others: [0, 0, 86_400_000], isApart: true),
            (agreement: differs(86_400_000), others: [299_000], isApart: true),
            (agreement: differs(86_400_000), others: [-301_000], isApart: false),
            (agreement: .agrees, others: [0], isApart: false),
            (agreement: .unconfirmed(atMost: nil), others: [0], isApart: false),
        ] as [(agreement: ClockAgreement, others: [Int64], isApart: Bool)])
    func apart(_ agreement: ClockAgreement, _ others: [Int64], _ isApart: Bool) {
        #expect(NodeClocks.isApart(agreement, others: others.map(Duration.milliseconds)) == isApart)
    }
}
