import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JOSE

/// Values of the same size as in production.
enum Sample {
    static let bundleID = "com.example.app"
    static let now = Platform.system.now()

    static let policy = Policy(
        accessTokenLifetime: .seconds(900),
        refresh: RefreshPolicy(
            tokenLifetime: .seconds(30 * 86_400), sessionMaximumAge: .seconds(365 * 86_400), reuseGrace: .seconds(30)),
        devSecretHash: nil, defaultClientID: bundleID, auditRetention: .seconds(90 * 86_400), sensitiveMaxAge: nil,
        sessionsPerUser: 100,
        apple: ApplePolicy(onConsentRevoked: .unlink))

    static func identifier(_ prefix: String) -> String {
        ULID.make(prefix, at: now, random: Platform.system.random(ULID.randomBytes))
    }

    static func user(_ number: Int) -> User {
        User(
            id: UserID(identifier("user")), email: "account\(number)@privaterelay.appleid.com", nickname: nil,
            createdAt: now)
    }

    static func token(generation: Int64) -> SessionToken {
        SessionToken(
            generation: generation, random: Platform.system.random(SessionToken.randomBytes), issuedAt: now,
            expiresAt: now + .seconds(30 * 86_400), hash: Platform.system.random(32))
    }

    static let chain = TokenChain(
        seed: Platform.system.random(TokenChain.seedBytes),
        burst: TokenChain.Burst(generation: 1, supersededAt: now))

    static let refreshClaims = RefreshClaims(
        userID: UserID(identifier("user")), sessionID: SessionID(identifier("sess")), generation: 7,
        random: Platform.system.random(SessionToken.randomBytes), issuedAt: now,
        expiresAt: now + .seconds(30 * 86_400))

    static let accessClaims = accessClaims(issuedAt: now)

    /// Valid for longer than any measurement.
    static func accessClaims(issuedAt moment: Timestamp) -> AccessClaims {
        AccessClaims(
            caller: Caller(
                userID: UserID(identifier("user")), sessionID: SessionID(identifier("sess")), generation: 7,
                role: .user, authenticatedAt: moment),
            clientID: bundleID, tokenID: identifier("at"), issuedAt: moment, expiresAt: moment + .seconds(43_200))
    }

    static func tokens(signedBy key: SigningKey? = nil) throws -> JWTTokenService {
        let refresh = try KeyRing(secret: Platform.system.random(32))
        let access = try key.map { KeyRing(current: $0) } ?? KeyRing(secret: Platform.system.random(32))
        return JWTTokenService(
            issuer: "gatehouse", audience: "gatehouse", accessKeys: access, refreshKeys: refresh)
    }

    static func store(in folder: String) throws -> SQLiteStore {
        try File.makeDirectory(folder)
        return try SQLiteStore(path: folder + "/" + identifier("store") + ".db")
    }
}
