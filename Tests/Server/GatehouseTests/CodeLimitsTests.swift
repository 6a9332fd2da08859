import Gatehouse
import Testing

@Suite("Limits of messages with codes")
struct CodeLimitsTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let minute = Duration.seconds(60)
    private static let hour = Duration.seconds(3600)
    private static let day = Duration.seconds(86_400)

    /// The defaults of the settings.
    private let limits = CodeLimits(
        perAddress: [
            CodeRate(1, per: minute), CodeRate(2, per: minute * 3), CodeRate(3, per: minute * 10),
            CodeRate(5, per: hour), CodeRate(10, per: day),
        ],
        perAddressAndNetwork: [CodeRate(3, per: hour), CodeRate(6, per: day)], leastUse: 10)

    private func facts(own: [Duration] = [], others: [Duration] = [], isKnown: Bool = false) -> CodeFacts {
        var facts = CodeFacts()
        facts.sentFromNetwork = own.sorted().map { Self.now - $0 }
        facts.sent = (own + others).sorted().map { Self.now - $0 }
        facts.isKnownNetwork = isKnown
        return facts
    }

    private func wait(_ facts: CodeFacts) -> Int64? { limits.reached(on: facts, now: Self.now)?.wait.wholeSeconds }

    @Test("The wait before the next message to an address grows")
    func growth() {
        #expect(wait(facts()) == nil)
        #expect(wait(facts(own: [.seconds(1)])) == 59)
        #expect(wait(facts(own: [.seconds(60)])) == nil)
        #expect(wait(facts(own: [.seconds(60), .seconds(120)])) == 60)
        #expect(wait(facts(own: [.seconds(200), .seconds(300), .seconds(400)])) == 3200)
        #expect(limits.waitAfterSending(on: facts(), now: Self.now) == .seconds(60))
        #expect(limits.waitAfterSending(on: facts(own: [.seconds(61)]), now: Self.now) == .seconds(119))
    }

    @Test("One network cannot use up what an address may get: others still get their message")
    func oneNetwork() {
        let attacker = (1...3).map { Duration.seconds(100 * $0) }
        #expect(limits.reached(on: facts(own: attacker), now: Self.now)?.scope == .addressFromNetwork)
        #expect((wait(facts(others: attacker)) ?? 0) <= 600)
    }

    @Test("However many networks ask, a network that has not asked waits an hour at most, and the owner's not at all")
    func manyNetworks() {
        let attackers = (1...40).map { Duration.seconds(1900 * $0) }
        #expect(wait(facts(others: attackers)) == 1700)
        #expect(wait(facts(others: attackers.map { $0 + Self.hour })) == nil)
        #expect(wait(facts(own: [Self.hour * 2], others: attackers)) == 1700, "also one that has asked itself")
        #expect(wait(facts(others: attackers, isKnown: true)) == nil)
        #expect(wait(facts(own: [.seconds(10)], others: attackers, isKnown: true)) == 50)
    }

    @Test("For a network that has proven the number, limits against many numbers do not hold, and a share is left")
    func unknownNetworks() {
        var limits = limits
        limits.perClient = [CodeRate(10, per: Self.hour)]
        limits.perPrefix = limits.perClient
        limits.perPrefixAndNetwork = limits.perClient
        limits.perCountry = limits.perClient
        limits.perChannel = limits.perClient
        let known = limits.quotas(isKnownNetwork: true)
        #expect(known.map(\.scope) == [.client, .channel] && known.map(\.rate.count) == [10, 10])
        let unknown = limits.quotas(isKnownNetwork: false)
        #expect(unknown.map(\.scope) == [.client, .prefixFromNetwork, .prefix, .country, .channel])
        #expect(unknown.last?.rate.count == 8)
        var some = facts()
        some.exhausted = [CodeFacts.Exhausted(.client, until: Self.now + .seconds(90))]
        #expect(limits.reached(on: some, now: Self.now) == CodeLimitReached(.client, wait: .seconds(90)))
    }

    @Test("A channel limit of none, and of one, is the same for a network that is not known")
    func smallChannel() {
        for count in 0...1 {
            let limits = CodeLimits(perChannel: [CodeRate(count, per: Self.hour)])
            #expect(limits.quotas(isKnownNetwork: false).map(\.rate.count) == [count])
        }
    }

    @Test(
        "Where too few codes are used, networks that are not known get no more of them",
        arguments: [
            (CodeScope.prefix, 19, 0, 3, false), (.prefix, 20, 0, 3, true), (.prefix, 20, 1, 3, true),
            (.prefix, 20, 2, 3, false), (.prefix, 20, 0, 2, false), (.country, 99, 0, 10, false),
            (.country, 100, 9, 10, true), (.country, 100, 10, 10, false), (.country, 100, 0, 9, false),
        ])
    func share(_ scope: CodeScope, _ sent: Int, _ used: Int, _ networks: Int, _ isRefused: Bool) {
        var some = facts()
        some.shares = [CodeFacts.Share(scope, sent: sent, used: used, networks: networks)]
        #expect((limits.reached(on: some, now: Self.now)?.scope == .unused) == isRefused)
        some.isKnownNetwork = true
        #expect(limits.reached(on: some, now: Self.now) == nil)
    }

    @Test("A wait is told in whole seconds, after which the message is sent")
    func wholeSeconds() {
        var facts = CodeFacts()
        facts.sent = [Self.now - .milliseconds(59_999)]
        #expect(limits.reached(on: facts, now: Self.now)?.wait == .seconds(1))
        #expect(limits.reached(on: facts, now: Self.now + .seconds(1)) == nil)
    }

    @Test("A rate of none refuses every message")
    func none() {
        let closed = CodeLimits(perAddress: [CodeRate(0, per: Self.hour)])
        #expect(closed.reached(on: CodeFacts(), now: Self.now) == CodeLimitReached(.address, wait: Self.hour))
    }
}
