import StoreSupport
import Synchronization
import Testing

@testable import Gatehouse

@Suite("Rules of codes")
struct CodeRuleTests {
    private let store = SentCodeStore()

    @Test("Each code has a random seed of its own, which the database alone knows, and its hash needs the key")
    func seeds() throws {
        let auth = try AuthService.ofTests(store, senders: [.email: SilentSender()])
        let sent = try (0..<3).map { number in
            try auth.sendCode(
                CodeRequest(channel: .email, to: "\(number)@example.com"), from: .unknown, requestID: "test")
        }
        #expect(Set(sent.map(\.id)).count == 3 && Set(store.codes.map(\.seed)).count == 3)
        for (code, sent) in zip(store.codes, sent) {
            #expect(code.seed.count == 32 && !sent.id.contains("\(code.seed)"))
            #expect(code.hash == PlainTokens().code(seed: code.seed, id: sent.id).hash)
        }
    }

    @Test("A code that was sent is good as long as its channel exists")
    func channel() throws {
        let auth = try AuthService.ofTests(store, senders: [.email: SilentSender()])
        let request = CodeRequest(channel: .email, to: "ann@example.com")
        let id = try auth.sendCode(request, from: .unknown, requestID: "test").id
        let text = PlainTokens().code(seed: try #require(store.codes.first).seed, id: id).text
        func prove(by auth: AuthService, _ code: String) throws {
            _ = try auth.proven(by: PresentedCode(id: id, code: code), now: Timestamp(seconds: 0), requestID: "test")
        }
        let without = try AuthService.ofTests(store, senders: [.phone: SilentSender()])
        try prove(by: auth, text)
        #expect(throws: Refusal.unknownProvider) { try prove(by: without, text) }
        #expect(throws: Refusal.invalidCode) { try prove(by: without, "000000") }
    }
}

/// Keeps codes, without limits.
private final class SentCodeStore: PartialStore {
    private let sent = Mutex<[StoredCode]>([])

    var codes: [StoredCode] { sent.withLock { $0 } }

    func codeFacts(of: CodeSend, limits: CodeLimits) throws(Refusal) -> CodeFacts { CodeFacts() }

    func record(
        _: CodeSend, limits: CodeLimits, by decide: @escaping (CodeFacts) -> (CodeDecision, wait: Duration)
    ) throws(Refusal) -> (decision: CodeDecision, wait: Duration) {
        let decision = decide(CodeFacts())
        if case .send(let code) = decision.0 { sent.withLock { $0.append(code) } }
        return decision
    }

    func countTry(ofCode hash: [UInt8], now: Timestamp) throws(Refusal) -> StoredCode? {
        codes.first { $0.idHash == hash }
    }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }
}

private struct SilentSender: MessageSender {
    func send(_: OutgoingMessage, requestID: String?) throws(DeliveryFault) {}
    func probe() throws(DeliveryFault) {}
}
