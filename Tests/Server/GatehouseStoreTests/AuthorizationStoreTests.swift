import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("Sign-ins through a browser in the store")
struct AuthorizationStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let google = Provider(rawValue: "GOOGLE") ?? .apple

    init() throws { (database, store) = try TestDatabase.opened() }

    private func request(_ state: UInt8) -> StoredAuthorizationRequest {
        StoredAuthorizationRequest(
            stateHash: [state], provider: google, browserHash: [state, 1], nonce: "nonce", codeVerifier: "verifier",
            redirectURI: "https://app.example.com/", codeChallenge: "challenge", appState: state == 1 ? nil : "state",
            expiresAt: noon + StoredAuthorizationRequest.lifetime)
    }

    private func code(_ hash: UInt8) -> StoredAuthorizationCode {
        StoredAuthorizationCode(
            hash: [hash], redirectURI: "https://app.example.com/", codeChallenge: "challenge", sealedProof: [1, 2],
            expiresAt: noon + StoredAuthorizationCode.lifetime)
    }

    @Test("A request is taken once, also by callbacks at the same moment")
    func once() throws {
        try store.keep(request(1))
        try store.keep(request(2))
        let taken = try Concurrently.run(8) { [store, google] _ in
            try store.takeAuthorizationRequest([1], of: google, in: [1, 1])
        }
        #expect(taken.compactMap(\.self) == [request(1)])
        #expect(try database.store().takeAuthorizationRequest([2], of: google, in: [2, 1]) == request(2))
    }

    /// Anyone may begin sign-ins, from many addresses.
    @Test("Of more requests than are kept, the oldest are removed")
    func most() throws {
        let (most, end) = (StoredAuthorizationRequest.most, (noon + StoredAuthorizationRequest.lifetime).milliseconds)
        let isSQLite = database.url.hasPrefix("sqlite")
        let hash = isSQLite ? "cast(n + 100000 AS blob)" : "decode(lpad(to_hex(n), 8, '0'), 'hex')"
        try database.execute(
            """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(most + 10))
            INSERT INTO authorization_requests (hash, provider, browser, nonce, code_verifier, redirect_uri, code_challenge,
                expires_at)
            SELECT \(hash), 'GOOGLE', \(hash), '', '', '', '', \(end - Int64(2 * most) - 10) + n FROM numbers
            """)
        for state in UInt8.min...64 { try store.keep(request(state)) }
        let left = try database.number("SELECT count(*) FROM authorization_requests")
        #expect(left <= most + 64, "\(left)")
        #expect(try store.takeAuthorizationRequest([1], of: google, in: [1, 1]) != nil)
        let oldest = "SELECT count(*) FROM authorization_requests WHERE expires_at < \(end - Int64(2 * most))"
        #expect(try database.number(oldest) == 0)
    }

    @Test("Another browser and another provider do not get a request, and leave it")
    func bound() throws {
        try store.keep(request(1))
        #expect(try store.takeAuthorizationRequest([1], of: google, in: [2, 1]) == nil)
        #expect(try store.takeAuthorizationRequest([1], of: .apple, in: [1, 1]) == nil)
        #expect(try store.takeAuthorizationRequest([2], of: google, in: [1, 1]) == nil)
        #expect(try store.takeAuthorizationRequest([1], of: google, in: [1, 1]) != nil)
    }

    @Test("The login that redeems a code writes its session into it, and what it proved is gone; no other login does")
    func redeemed() throws {
        try store.keep(code(1))
        try store.keep(code(2))
        let logins = try Concurrently.run(4) { index -> LoginOutcome in
            var login = SampleLogin.login(
                "\(index)", of: SampleLogin.user(index), as: Identity(provider: google, subject: "1", email: nil))
            login.redemption = Redemption(
                tokenHash: [1], nonceHash: nil, moment: noon, grace: .zero, expiresAt: noon + .seconds(60),
                isAuthorizationCode: true)
            return try store.record(login)
        }
        #expect(logins.filter { $0 == .refused(.replayed) }.count == 3)
        let used = try #require(try store.authorizationCode([1]))
        let session = try #require(used.sessionID)
        #expect(try store.session(session) != nil)
        #expect(used.sealedProof.isEmpty)
        #expect(try store.authorizationCode([2]) == code(2))
        #expect(try store.authorizationCode([3]) == nil)
    }

    @Test("Requests and codes are deleted some time after their end")
    func purge() throws {
        try store.keep(request(1))
        try store.keep(code(1))
        func purge(at moment: Timestamp) throws { try store.purgeAll(PurgeLimits(at: moment, redemptions: moment)) }
        try purge(at: noon + .seconds(59))
        #expect(try store.authorizationCode([1]) != nil)
        try purge(at: noon + .seconds(61))
        #expect(try store.authorizationCode([1]) == nil)
        #expect(try database.number("SELECT count(*) FROM authorization_requests") == 1)
        try purge(at: noon + .seconds(601))
        #expect(try database.number("SELECT count(*) FROM authorization_requests") == 0)
    }
}
