import Gatehouse
import StoreSupport
import TestSupport

/// A randomised simulation of the requests for one session, repeatable by its seed.
///
/// Each `step` does one thing at random: a party sends a request, the clock moves, the process restarts, or one request
/// goes on by one store query. `ReplayingStore` suspends a request after each query, so any number of requests
/// interleave. After each step of a request, the rules for the stored session (`checkChange`) and for the answer
/// (`check`) are checked, and broken ones are added to `violations`.
///
/// The owner's clients follow the documented rules: they retry with the same token, however much later; they accept an
/// answer only if they still have the token that they sent; they use new tokens once no request with the previous one
/// can still arrive. Example: two requests with token 1 are sent, the first stores token 2, and its answer is lost. The
/// second must be answered with token 2 as well.
struct RotationSimulation {
    static let policy = Policy.ofTests(
        accessTokenLifetime: .seconds(60),
        refresh: RefreshPolicy(
            tokenLifetime: .seconds(200), sessionMaximumAge: .seconds(400), reuseGrace: .seconds(30)),
        devSecretHash: [], dpop: DPoPPolicy(origin: ProofURL.Origin("https://example.com")))
    static let tokens = PlainTokens()

    /// Whether there are a thief and a forger, requests of the owner are delayed, and the owner logs out.
    let hasAttackers: Bool
    /// Whether the session is bound to the owner's key. The thief and the forger do not have it.
    let isBound: Bool
    private var proofCount = 0
    let store: ReplayingStore
    var auth: AuthService
    var generator: SeededGenerator
    var now = Timestamp(seconds: 1_760_000_000)
    /// The first time that the process knew. The clock may be set back to before it.
    var processStart: Timestamp
    var requests: [SimulatedRequest] = []
    /// The tokens that the owner's clients have stored.
    var ownerTokens: TokenPair
    var stolenTokens: [String] = []
    var stolenAccessToken: String?
    /// Every refresh token of the session, by generation.
    var issued: [Int64: String] = [:]
    var issuedAt: [Int64: Timestamp] = [:]
    var newestAccessToken: String
    /// When an access token of a generation was first accepted, as far as the server can still know.
    var confirmations: [Int64: Timestamp] = [:]
    /// Whether a client got the answer that the session has ended.
    var hasEnded = false
    var rotations = 0
    var violations: [String] = []

    init(seed: UInt64, hasAttackers: Bool, isBound: Bool) throws {
        self.hasAttackers = hasAttackers
        self.isBound = isBound
        generator = SeededGenerator(seed: seed)
        store = ReplayingStore(now: now, seed: seed)
        processStart = now
        auth = try Self.auth(with: store)
        let login = DevLogin(email: "a@example.com", secret: "")
        var context = RequestContext(id: "login")
        let proof = SimulatedProof(key: SimulatedProof.ownKey, id: 0, issuedAt: now).sent
        let device = Device(userAgent: nil, address: nil)
        ownerTokens = try auth.logIn(login, boundBy: isBound ? proof : nil, from: device, in: &context).tokens
        issued[1] = ownerTokens.refreshToken
        newestAccessToken = ownerTokens.accessToken
    }

    private static func auth(with store: ReplayingStore) throws -> AuthService {
        try AuthService(
            store: store, tokens: tokens, apple: UnavailableAppleVerifier(), hasher: PlainHashes(), policy: policy,
            platform: store.platform)
    }

    /// The session as it is stored.
    var row: Session {
        guard let session = store.session else { preconditionFailure("the owner has logged in") }
        return session
    }

    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...1: advanceClock()
        case 2...5: ownerRefreshes()
        case 6 where hasAttackers: thiefRefreshes()
        case 7 where hasAttackers && chance(of: 4): forgerRefreshes()
        case 8 where hasAttackers && chance(of: 20): send(.owner, .logOut(accessToken: ownerTokens.accessToken))
        case 9 where chance(of: 8): try restart()
        case 10: uses(ownerTokens.accessToken, unless: hasOldRequestOnItsWay)
        case 11 where hasAttackers: uses(stolenAccessToken, unless: false)
        case 12: writeConfirmations()
        default: advanceRequest()
        }
    }

    mutating func chance(of count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
}

// MARK: - Events

extension RotationSimulation {
    private mutating func send(_ sender: SimulatedRequest.Sender, _ operation: SimulatedRequest.Operation) {
        requests.append(SimulatedRequest(sender, operation, proof: isBound ? proof(of: sender) : nil))
    }

    private mutating func proof(of sender: SimulatedRequest.Sender) -> SimulatedProof? {
        if sender != .owner, chance(of: 2) { return nil }
        proofCount += 1
        let key = sender == .owner ? SimulatedProof.ownKey : SimulatedProof.foreignKey
        return SimulatedProof(key: key, id: proofCount, issuedAt: now)
    }

    private mutating func ownerRefreshes() {
        let own = requests.filter { $0.sender == .owner && $0.answer == nil }
        guard own.count < 3, !hasOldRequestOnItsWay else { return }
        send(.owner, .refresh(ownerTokens.refreshToken))
    }

    /// Whether a request of the owner with an older token than the stored one has not arrived yet. It may arrive after
    /// the grace period. Simulations with attackers send nevertheless, so there a delayed request may count as theft.
    private var hasOldRequestOnItsWay: Bool {
        !hasAttackers
            && requests.contains {
                $0.sender == .owner && $0.replay == nil && $0.token != ownerTokens.refreshToken
            }
    }

    /// Sends an access token to the API, but not while a request is suspended: the confirmation would change the
    /// decision when the request is replayed.
    private mutating func uses(_ accessToken: String?, unless isForbidden: Bool) {
        guard let accessToken, !isForbidden, !requests.contains(where: \.isRunning) else { return }
        guard (try? auth.authenticate(Array(accessToken.utf8)[...])) != nil else { return }
        let generation = Self.tokens.generation(of: accessToken)
        if generation > 1, confirmations[generation] == nil { confirmations[generation] = now }
    }

    /// Maintenance of the process.
    private mutating func writeConfirmations() {
        guard !requests.contains(where: \.isRunning) else { return }
        // Writing refusals fails in this store, and they are not part of the simulation.
        _ = try? auth.flush()
    }

    private mutating func thiefRefreshes() {
        if stolenTokens.isEmpty || chance(of: 20) { return stolenTokens.append(ownerTokens.refreshToken) }
        // Mostly the newest token, which a real thief would use.
        let token = chance(of: 4) ? stolenTokens.randomElement(using: &generator) : stolenTokens.last
        if let token { send(.thief, .refresh(token)) }
    }

    private mutating func forgerRefreshes() {
        let row = row
        let forged = RefreshClaims(
            userID: row.userID, sessionID: row.id,
            generation: max(1, row.token.generation + Int64.random(in: -2...1, using: &generator)),
            random: [UInt8](repeating: 7, count: SessionToken.randomBytes), issuedAt: row.token.issuedAt,
            expiresAt: row.token.expiresAt)
        send(.forger, .refresh(Self.tokens.refreshToken(forged)))
    }

    private mutating func advanceClock() {
        var pause = Int64.random(in: 0...(chance(of: 4) ? 40_000 : 3000), using: &generator)
        // Sometimes, stop just before the current token expires.
        if chance(of: 12) { pause = max(0, row.token.expiresAt.milliseconds - now.milliseconds - 1) }
        if chance(of: 40), !requests.contains(where: \.isRunning) { pause = -pause }
        let then = now + .milliseconds(pause)
        // An owner who stays away for longer than a session lives is logged out.
        now = hasAttackers ? then : min(then, max(now, row.token.expiresAt - .seconds(1)))
        store.set(now: now)
    }

    /// Restarts the process. Suspended requests are lost, and so are confirmations that were not written.
    private mutating func restart() throws {
        requests.removeAll(where: \.isRunning)
        auth = try Self.auth(with: store)
        processStart = now
        confirmations = row.confirmedAt.map { [row.token.generation: $0] } ?? [:]
        hasEnded = row.revokedAt != nil
    }

    /// Lets a random request take its next step, or loses the request or its answer.
    private mutating func advanceRequest() {
        guard let index = requests.indices.randomElement(using: &generator) else { return }
        var request = requests.remove(at: index)
        if let answer = request.answer {
            if !chance(of: 3) { receive(answer, of: request) }
        } else if request.replay != nil || !chance(of: 8) {
            step(&request)
            requests.append(request)
        }
    }

    private mutating func step(_ request: inout SimulatedRequest) {
        let before = row
        if request.replay == nil {
            request.found = before
            request.confirmedAt = confirmations[before.token.generation]
        }
        var replay = request.replay ?? RequestReplay(startedAt: now, seed: generator.next())
        let (operation, proof) = (request.operation, request.proof?.sent)
        let id = "\(request.proof?.id ?? 0)"
        request.answer = store.step(&replay, storeFails: chance(of: 40)) { [auth] () throws(Refusal) in
            switch operation {
            case .refresh(let token):
                var context = RequestContext(id: id)
                return try auth.refresh(token, proof: proof, in: &context)
            case .logOut(let token): try auth.logOut(Array(token.utf8)[...], refreshToken: nil)
            }
            return nil
        }
        request.replay = replay
        checkChange(&request, from: before)
        if let answer = request.answer { check(request, answer) }
    }

    private mutating func receive(_ answer: SimulatedRequest.Answer, of request: SimulatedRequest) {
        guard case .success(.some(let pair)) = answer else { return }
        if request.sender == .thief {
            stolenTokens.append(pair.refreshToken)
            stolenAccessToken = pair.accessToken
        }
        if request.sender == .owner, request.token == ownerTokens.refreshToken { ownerTokens = pair }
    }
}
