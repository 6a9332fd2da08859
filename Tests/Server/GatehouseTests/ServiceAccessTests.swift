import StoreSupport
import Testing

@testable import Gatehouse

@Suite("Services that ask")
struct ServiceAccessTests {
    private let store = RevocationLogStore()

    private func refusal(
        _ token: String?, _ scheme: SentAccessToken.Scheme = .bearer, from user: UInt32? = nil, forwards: Bool = false,
        users: [UInt32: String] = [7: "daemon"]
    ) throws -> Refusal? {
        var (policy, context) = (Policy.ofTests(), RequestContext(id: "test"))
        policy.services = ServiceAccess(
            tokens: ["shop", "forum"].map { ServiceToken(service: $0, hash: Array("the whole token of \($0)".utf8)) },
            users: users)
        let auth = try AuthService.ofTests(store, policy: policy)
        do throws(Refusal) {
            try auth.authenticateService(
                token.map { SentAccessToken(Array($0.utf8)[...], scheme: scheme) },
                peer: user.map { ServiceAccess.Peer(user: $0, forwards: forwards) }, in: &context)
            return nil
        } catch { return error }
    }

    @Test("A token that is sent decides alone, and is one of the settings, whole")
    func token() throws {
        #expect(try refusal("the whole token of shop") == nil && refusal("the whole token of forum", from: 0) == nil)
        for wrong in ["", "the whole", "the whole token of shop2", "the whole token of blog"] {
            #expect(try refusal(wrong, from: 0) == .invalidServiceToken, "\(wrong)")
        }
        #expect(try refusal("the whole token of shop", .dpop, from: 0) == .invalidServiceToken)
    }

    @Test("Without a token, root and the users of the settings may ask, and of web servers only those that are named")
    func peer() throws {
        #expect(try refusal(nil, from: 0) == nil && refusal(nil, from: 7) == nil)
        #expect(try refusal(nil, from: 0, forwards: true) == .noServiceToken)
        #expect(try refusal(nil, from: 0, forwards: true, users: [0: "root"]) == nil)
        #expect(try refusal(nil, from: 7, forwards: true) == nil && refusal(nil, from: 8) == .noServiceToken)
        #expect(try refusal(nil) == .noServiceToken)
    }

    @Test("A token is active until its session ends, and neither active nor inactive while that cannot be read")
    func introspection() throws {
        let auth = try AuthService.ofTests(store)
        var context = RequestContext(id: "test")
        func isActive() throws -> Bool { try auth.introspect("user_1 sess_1 1 60", in: &context) != nil }
        #expect(try isActive())
        store.append(.session(SessionID("sess_1")))
        store.setReadable(false)
        #expect(throws: storageFailure) { try isActive() }
        store.setReadable(true)
        #expect(try !isActive())
    }
}
