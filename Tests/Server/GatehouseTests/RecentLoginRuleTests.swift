import StoreSupport
import Testing

@testable import Gatehouse

@Suite("What needs a recent login")
struct RecentLoginRuleTests {
    private let caller = Caller(
        userID: UserID("user_1"), sessionID: SessionID("sess_1"), generation: 1, role: .user,
        authenticatedAt: Timestamp(seconds: 0))

    private func auth(_ setting: Int64?) throws -> AuthService {
        var policy = Policy.ofTests()
        policy.sensitiveMaxAge = setting.map { .seconds($0) }
        return try AuthService.ofTests(AnnsStore(), policy: policy)
    }

    @Test("A change of an address needs a login of the last hour, or of a shorter time that the settings demand")
    func change() throws {
        for (setting, limit) in [(nil, 3600), (300, 300), (86_400, 3600)] as [(Int64?, Int64)] {
            let auth = try auth(setting)
            try auth.requireLoginForChange(of: caller, now: Timestamp(seconds: limit))
            #expect(throws: Refusal.loginTooOld(limit: .seconds(limit))) {
                try auth.requireLoginForChange(of: caller, now: Timestamp(seconds: limit + 1))
            }
        }
    }

    @Test("A change needs a login as strong as the settings demand, but for the number that a user cannot do without")
    func strength() throws {
        var policy = Policy.ofTests()
        policy.sensitiveStrength = .twoFactors
        let auth = try AuthService.ofTests(AnnsStore(), policy: policy)
        func isAccepted(_ strength: LoginStrength, _ provider: Provider, needsPhone: Bool) -> Bool {
            let caller = Caller(
                userID: UserID("user_1"), sessionID: SessionID("sess_1"), generation: 1, role: .user,
                authenticatedAt: Timestamp(seconds: 1000), strength: strength, needsPhone: needsPhone)
            let proven = ProvenIdentity(
                identity: Identity(provider: provider, subject: "ann", email: nil), clientID: "app",
                issuedAt: Timestamp(seconds: 1000))
            do throws(Refusal) {
                try auth.requireRecentLogin(of: caller, or: proven, now: Timestamp(seconds: 1000))
                return true
            } catch {
                #expect(error == .insufficientAuthentication(.twoFactors))
                return false
            }
        }
        for provider in [Provider.dev, .phone, .email] {
            #expect(isAccepted(.twoFactors, provider, needsPhone: false))
            #expect(!isAccepted(.single, provider, needsPhone: false))
            #expect(isAccepted(.single, provider, needsPhone: true) == (provider == .phone))
        }
        #expect(throws: Refusal.insufficientAuthentication(.twoFactors)) {
            try auth.requireLoginForChange(of: caller, now: Timestamp(seconds: 0))
        }
    }

    @Test("In its place a new account's proof counts only if it is fresh, and of an account that the caller has")
    func proof() throws {
        func isAccepted(_ subject: String, _ issuedAt: Int64) throws -> Bool {
            let proven = ProvenIdentity(
                identity: Identity(provider: .dev, subject: subject, email: nil), clientID: "app",
                issuedAt: Timestamp(seconds: issuedAt), redemption: nil)
            let auth = try auth(300)
            do throws(Refusal) {
                try auth.requireRecentLogin(of: caller, or: proven, now: Timestamp(seconds: 1000))
                return true
            } catch { return false }
        }
        #expect(try isAccepted("ann", 1000) && isAccepted("ann", 700))
        #expect(try !isAccepted("ann", 699) && !isAccepted("eve", 1000))
    }
}

/// Its users have one account.
private struct AnnsStore: PartialStore {
    func accounts(of user: UserID) throws(Refusal) -> [LinkedAccount] {
        [LinkedAccount(Identity(provider: .dev, subject: "ann", email: nil), linkedAt: Timestamp(seconds: 0))]
    }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }
}
