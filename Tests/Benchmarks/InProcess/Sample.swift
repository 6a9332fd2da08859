import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JOSE
import POSIX

/// Values of the size that they have in production.
enum Sample {
    static let bundleID = "com.example.app"
    static let now = World.real.now()

    static func identifier(_ prefix: String) -> String {
        Identifier.make(prefix, at: now, random: World.real.random(Identifier.randomBytes))
    }

    static func user(_ number: Int) -> User {
        User(
            id: UserID(identifier("user")), email: "someone\(number)@privaterelay.appleid.com", nickname: nil,
            createdAt: now)
    }

    static func token(generation: Int64) -> SessionToken {
        SessionToken(
            generation: generation, random: World.real.random(SessionToken.randomBytes), issuedAt: now,
            expiresAt: now + .seconds(30 * 86_400), hash: World.real.random(32))
    }

    static let refreshClaims = RefreshClaims(
        userID: UserID(identifier("user")), sessionID: SessionID(identifier("sess")), generation: 7,
        random: World.real.random(SessionToken.randomBytes), issuedAt: now, expiresAt: now + .seconds(30 * 86_400))

    static let accessClaims = accessClaims(issuedAt: now)

    /// Good for longer than any measurement lasts.
    static func accessClaims(issuedAt moment: Timestamp) -> AccessClaims {
        AccessClaims(
            caller: Caller(
                userID: UserID(identifier("user")), sessionID: SessionID(identifier("sess")), role: .user,
                authenticatedAt: moment),
            clientID: bundleID, tokenID: identifier("at"), issuedAt: moment, expiresAt: moment + .seconds(43_200))
    }

    static func tokens(signedBy key: SigningKey? = nil) throws -> JWTTokenService {
        let refresh = try KeyRing(secret: World.real.random(32))
        let access = try key.map { KeyRing(current: $0) } ?? KeyRing(secret: World.real.random(32))
        return JWTTokenService(
            access: AccessTokens(issuer: "gatehouse", audience: "gatehouse", ring: access),
            refresh: RefreshTokens(ring: refresh), challenges: Challenges(ring: refresh))
    }

    static func store(in folder: String) throws -> SQLiteStore {
        try File.makeDirectory(folder)
        return try SQLiteStore(path: folder + "/" + identifier("store") + ".db")
    }
}
