import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("Codes in the store")
struct CodeStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let address = CodeAddress(.phone, "+8613800138000")

    init() throws { (database, store) = try TestDatabase.opened() }

    private func send(
        _ id: UInt8, resending: UInt8? = nil, to address: CodeAddress? = nil, network: UInt8 = 1, prefix: UInt8 = 1,
        after seconds: Int64 = 0
    ) -> CodeSend {
        let address = address ?? self.address
        return CodeSend(
            idHash: [id], resentHash: resending.map { [$0] }, address: address,
            keys: CodeKeys(
                provider: address.channel.provider, address: Array(address.text.utf8), prefix: [prefix], country: "CN",
                client: [network, 1], network: [network]),
            moment: noon + .seconds(seconds))
    }

    /// Sends a code by the rules of the domain.
    @discardableResult
    private func record(_ send: CodeSend, _ limits: CodeLimits = CodeLimits()) throws -> CodeDecision {
        try store.record(send, limits: limits) { facts in
            if let reached = limits.reached(on: facts, now: send.moment) { return (.refuse(reached), .zero) }
            if let known = facts.resendable { return (.resend(known), .zero) }
            let code = StoredCode(
                idHash: send.idHash, address: send.address, seed: [1], hash: [2] + send.idHash,
                expiresAt: send.moment + StoredCode.lifetime)
            return (.send(code), .zero)
        }.decision
    }

    private func isRefused(_ decision: CodeDecision, by scope: CodeScope? = nil) -> Bool {
        guard case .refuse(let reached) = decision else { return false }
        return scope == nil || reached.scope == scope
    }

    private func logIn(_ name: String, by code: UInt8, of user: User) throws -> LoginOutcome {
        var login = SampleLogin.login(
            name, of: user, as: Identity(provider: .phone, subject: address.text, email: nil))
        login.redemption = Redemption(
            tokenHash: [code], nonceHash: nil, moment: noon, grace: .zero, expiresAt: noon + StoredCode.lifetime)
        return try store.record(login)
    }

    @Test("Five tries are counted, also of requests at the same moment, and no more is permitted")
    func tries() throws {
        try record(send(1))
        let permitted = try Concurrently.run(12) { [store, noon] _ in try store.countTry(ofCode: [1], now: noon) }
        #expect(permitted.compactMap { $0 }.count == 5)
        #expect(Set(permitted.compactMap { $0?.tries }) == [1, 2, 3, 4, 5])
        #expect(try database.store().countTry(ofCode: [1], now: noon) == nil, "after a restart")
    }

    @Test("A resend keeps the code, its tries and its end")
    func resend() throws {
        try record(send(1))
        for _ in 0..<4 { _ = try store.countTry(ofCode: [1], now: noon) }
        guard case .resend(let code) = try record(send(2, resending: 1, after: 60)) else {
            Issue.record("it was not sent again")
            return
        }
        #expect(code.tries == 4 && code.expiresAt == noon + StoredCode.lifetime)
        #expect(try store.countTry(ofCode: [2], now: noon) == nil, "the id of the second request is not one")
        #expect(try store.countTry(ofCode: [1], now: noon)?.tries == 5)
        if case .resend = try record(send(3, resending: 1, after: 120)) { Issue.record("no try was left") }
    }

    @Test("Another address, another id and a code that ends soon get a new code")
    func newCode() throws {
        try record(send(1))
        let other = CodeAddress(.phone, "+8613800138001")
        for (number, request) in [
            send(2, resending: 1, to: other), send(3, resending: 9), send(4, resending: 1, after: 500),
        ].enumerated() {
            if case .resend = try record(request) { Issue.record("\(number)") }
        }
    }

    @Test("A code ends with its time")
    func expiry() throws {
        try record(send(1))
        #expect(try store.countTry(ofCode: [1], now: noon + .seconds(599)) != nil)
        #expect(try store.countTry(ofCode: [1], now: noon + .seconds(600)) == nil)
        #expect(try store.countTry(ofCode: [1], now: noon - .seconds(86_400)) == nil, "made by a clock that was ahead")
    }

    @Test("A code signs in once, however many requests have counted a try before")
    func once() throws {
        try record(send(1))
        for _ in 0..<3 { _ = try store.countTry(ofCode: [1], now: noon) }
        let outcomes = try Concurrently.run(3) { index in
            try logIn("\(index)", by: 1, of: SampleLogin.user(index))
        }
        #expect(outcomes.filter { $0 == .refused(.replayed) }.count == 2)
        #expect(try store.countTry(ofCode: [1], now: noon) == nil)
        #expect(try store.users(UserQuery(limit: 9)).map(\.user.phone) == [address.text])
    }

    @Test("Messages at the same moment are counted one after the other")
    func limit() throws {
        let limits = CodeLimits(perAddress: [CodeRate(3, per: .seconds(3600))])
        let decisions = try Concurrently.run(8) { index in try record(send(UInt8(index)), limits) }
        #expect(decisions.filter { isRefused($0, by: .address) }.count == 5)
    }

    @Test(
        "Each quota counts its own scope",
        arguments: [
            (CodeScope.client, CodeLimits(perClient: [CodeRate(2, per: .seconds(60))])),
            (.network, CodeLimits(perNetwork: [CodeRate(2, per: .seconds(60))])),
            (.prefix, CodeLimits(perPrefix: [CodeRate(2, per: .seconds(60))])),
            (.country, CodeLimits(perCountry: [CodeRate(2, per: .seconds(60))])),
            (.channel, CodeLimits(perChannel: [CodeRate(2, per: .seconds(60))])),
        ])
    func quota(_ scope: CodeScope, _ limits: CodeLimits) throws {
        #expect(!isRefused(try record(send(1), limits)))
        #expect(!isRefused(try record(send(2, after: 10), limits)))
        let third = send(3, after: 20)
        #expect(isRefused(try record(third, limits), by: scope))
        let facts = try store.codeFacts(of: third, limits: limits)
        #expect(facts.exhausted == [CodeFacts.Exhausted(scope, until: noon + .seconds(60))])
        let isWide = scope == .country || scope == .channel
        #expect(isRefused(try record(send(4, network: 2, prefix: 2, after: 20), limits)) == isWide)
        #expect(!isRefused(try record(send(5, after: 60), limits)))
    }

    @Test("A message that was not sent is counted for all but its address, and is not one that nobody has used")
    func forget() throws {
        let limits = CodeLimits(perAddress: [CodeRate(1, per: .seconds(60))])
        let failed = send(1)
        try record(failed, limits)
        try store.releaseAddress(of: failed, code: failed.idHash)
        #expect(!isRefused(try record(send(2, after: 1), limits)))
        let rate = [CodeRate(2, per: .seconds(60))]
        for limits in [
            CodeLimits(perClient: rate), CodeLimits(perNetwork: rate), CodeLimits(perPrefix: rate),
            CodeLimits(perCountry: rate), CodeLimits(perChannel: rate),
        ] {
            #expect(isRefused(try record(send(3, after: 2), limits)), "\(limits)")
        }
        let shares = try store.codeFacts(of: send(4, network: 2, after: 1200), limits: CodeLimits(leastUse: 10)).shares
        #expect(shares.map(\.sent) == [1, 1])
    }

    @Test("A network that has proven an address is known for it, and codes that were used count as such")
    func known() throws {
        try record(send(1))
        #expect(try !store.codeFacts(of: send(2), limits: CodeLimits()).isKnownNetwork)
        _ = try logIn("1", by: 1, of: SampleLogin.user(1))
        let limits = CodeLimits(leastUse: 10)
        let later = try store.codeFacts(of: send(2, after: 1200), limits: limits)
        #expect(later.isKnownNetwork)
        #expect(later.shares.contains(CodeFacts.Share(.prefix, sent: 1, used: 1, networks: 1)))
        #expect(try !store.codeFacts(of: send(3, network: 2), limits: limits).isKnownNetwork)
        let month = 31 * 86_400 as Int64
        #expect(try !store.codeFacts(of: send(4, after: month), limits: limits).isKnownNetwork)
    }

    @Test("Maintenance deletes codes and counted messages")
    func purge() throws {
        try record(send(1))
        try store.purgeAll(PurgeLimits(redemptions: noon + .seconds(601), codeSends: noon + .seconds(1)))
        #expect(try database.number("SELECT count(*) FROM codes") == 0)
        #expect(try database.number("SELECT count(*) FROM code_sends") == 0)
    }
}
