import Gatehouse
import StoreSupport

/// Users, identities and sessions to put into a store.
enum SampleLogin {
    static let noon = Timestamp(milliseconds: 1_760_000_000_000)

    static func identity(_ subject: String, email: String? = nil, hint: String? = nil) -> Identity {
        Identity(provider: .apple, subject: subject, email: email, emailHint: hint)
    }

    static func user(_ number: Int, email: String? = nil, nickname: String? = nil) -> User {
        User(id: UserID("user_\(number)"), email: email, nickname: nickname, createdAt: noon)
    }

    static func session(_ name: String, of user: User, at moment: Timestamp = noon) -> Session {
        Session(
            id: SessionID("sess_\(name)"), userID: user.id, provider: .apple, clientID: "com.example.app",
            device: Device(userAgent: "App/1", address: "192.0.2.1"), createdAt: moment,
            token: token(generation: 1), chain: chain)
    }

    static let chain = TokenChain(seed: [4, 5, 6])

    static func token(generation: Int64) -> SessionToken {
        SessionToken(
            generation: generation, random: [UInt8(truncatingIfNeeded: generation)], issuedAt: noon,
            expiresAt: noon + .seconds(3600), hash: [1, UInt8(truncatingIfNeeded: generation)])
    }

    static func login(
        _ name: String, of user: User, as identity: Identity, nickname: String? = nil, at moment: Timestamp = noon
    ) -> LoginFixture {
        LoginFixture(of: user, session(name, of: user, at: moment), as: identity, nickname: nickname)
    }

    static func event(_ kind: AuditEntry.Kind = .logout, at moment: Timestamp = noon) -> AuditEntry {
        AuditEntry(kind, at: moment)
    }
}
