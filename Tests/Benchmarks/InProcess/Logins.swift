import Gatehouse
import GatehouseServer
import GatehouseTokens

/// Makes the store's part of a login.
final class Logins {
    private let store: any Store
    private let hasher = IdentityHashes()
    private var number = 0

    init(_ store: any Store) {
        self.store = store
    }

    func signUp() throws -> User {
        number += 1
        let user = Sample.user(number)
        return try record(session(of: user), of: user, isNew: true)
    }

    @discardableResult
    func logIn(_ user: User) throws -> Session {
        let session = session(of: user)
        _ = try record(session, of: user, isNew: false)
        return session
    }

    private func record(_ session: Session, of user: User, isNew: Bool) throws -> User {
        let identity = Identity(provider: .apple, subject: "subject of " + user.id.text, email: user.email)
        let redemption = Redemption(
            tokenHash: Platform.system.random(32), nonceHash: nil, moment: Sample.now, grace: .seconds(60),
            expiresAt: Sample.now + .seconds(86_400))
        let login = Login(
            identity: identity, nickname: nil, redemption: redemption, moment: Sample.now,
            hasher: hasher)
        let (decision, _) = try store.record(login, limit: 100) { facts in
            if let refusal = login.refusal(on: facts) { return .refuse(refusal) }
            return .accept(
                AcceptedLogin(
                    login, of: login.user(on: facts) ?? user, on: facts, opening: session, refreshToken: "",
                    queueing: nil))
        }
        guard case .accept(let accepted) = decision, accepted.isNewUser == isNew else {
            throw BenchmarkFault("the store returned another user")
        }
        return accepted.user
    }

    private func session(of user: User) -> Session {
        Session(
            id: SessionID(Sample.identifier("sess")), userID: user.id, provider: .apple, clientID: Sample.bundleID,
            device: Device(userAgent: "Example/1.0 (iPhone; iOS 26.1)", address: "192.0.2.1"), createdAt: Sample.now,
            token: Sample.token(generation: 1))
    }
}
