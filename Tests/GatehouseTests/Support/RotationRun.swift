import Gatehouse
import StoreSupport
import TestSupport

/// One session, and everything that can happen to it, by dice.
///
/// The owner's clients keep to what is asked of them: they retry the token they hold within the grace, and keep an answer
/// only where they still hold the token that they asked with. They use a new token once nothing is on its way there with
/// the one before. The network loses and delays as it likes.
struct RotationRun {
    static let policy = Policy(
        accessTokenLifetime: .seconds(60),
        refresh: RefreshPolicy(
            tokenLifetime: .seconds(200), sessionMaximumAge: .seconds(400), reuseGrace: .seconds(30)),
        devSecretHash: [], defaultClientID: "app")
    static let tokens = PlainTokens()

    /// Whether there is anybody but the owner, and the owner's packets come late, and the owner signs out.
    let isBesieged: Bool
    let stage: Stage
    var gatekeeper: Gatekeeper
    var dice: SeededDice
    var now = Timestamp(seconds: 1_760_000_000)
    var flights: [Flight] = []
    /// What the owner's clients hold.
    var held: TokenPair
    var loot: [String] = []
    /// Every refresh token there has been, by generation.
    var issued: [Int64: String] = [:]
    var newestAccessToken: String
    /// Somebody has been told that the session has ended.
    var hasEnded = false
    var rotations = 0
    var broken: [String] = []

    init(seed: UInt64, isBesieged: Bool) throws {
        self.isBesieged = isBesieged
        dice = SeededDice(seed: seed)
        stage = Stage(now: now, seed: seed)
        gatekeeper = try Self.gatekeeper(on: stage)
        let login = DevLogin(email: "a@example.com", secret: "")
        held = try gatekeeper.signIn(login, from: Device(userAgent: nil, address: nil)).tokens
        issued[1] = held.refreshToken
        newestAccessToken = held.accessToken
    }

    private static func gatekeeper(on stage: Stage) throws -> Gatekeeper {
        try Gatekeeper(
            store: stage, tokens: tokens, apple: NoApple(), hasher: PlainHashes(), policy: policy, world: stage.world)
    }

    /// The row as it stands.
    var row: Session {
        guard let session = stage.session else { preconditionFailure("the owner has signed in") }
        return session
    }

    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &dice) {
        case 0...1: letTimePass()
        case 2...5: ownerAsks()
        case 6 where isBesieged: thiefAsks()
        case 7 where isBesieged && chance(of: 4): forgerAsks()
        case 8 where isBesieged && chance(of: 20): send(.owner, .signOut(accessToken: held.accessToken))
        case 9 where chance(of: 8): try restart()
        default: move()
        }
    }

    mutating func chance(of count: Int) -> Bool { Int.random(in: 0..<count, using: &dice) == 0 }
}

// MARK: - What can happen

extension RotationRun {
    private mutating func send(_ sender: Flight.Sender, _ errand: Flight.Errand) {
        flights.append(Flight(sender, errand))
    }

    private mutating func ownerAsks() {
        let own = flights.filter { $0.sender == .owner && $0.answer == nil }
        guard own.count < 3 else { return }
        guard isBesieged || own.allSatisfy({ $0.isRunning || $0.token == held.refreshToken }) else { return }
        send(.owner, .refresh(held.refreshToken))
    }

    private mutating func thiefAsks() {
        if loot.isEmpty || chance(of: 20) { return loot.append(held.refreshToken) }
        // Mostly the newest: a thief who knows what to do.
        let token = chance(of: 4) ? loot.randomElement(using: &dice) : loot.last
        if let token { send(.thief, .refresh(token)) }
    }

    private mutating func forgerAsks() {
        let row = row
        let forged = RefreshClaims(
            userID: row.userID, sessionID: row.id,
            generation: max(1, row.token.generation + Int64.random(in: -2...1, using: &dice)),
            random: [UInt8](repeating: 7, count: SessionToken.randomBytes), issuedAt: row.token.issuedAt,
            expiresAt: row.token.expiresAt)
        send(.forger, .refresh(Self.tokens.refreshToken(forged)))
    }

    private mutating func letTimePass() {
        var pause = Int64.random(in: 0...(chance(of: 4) ? 40_000 : 3000), using: &dice)
        // The end of the current token is a moment of its own.
        if chance(of: 12) { pause = max(0, row.token.expiresAt.milliseconds - now.milliseconds - 1) }
        if chance(of: 40), !flights.contains(where: \.isRunning) { pause = -pause }
        let then = now + .milliseconds(pause)
        now = isBesieged ? then : min(then, max(now, ownersPatience))
        stage.set(now: now)
    }

    /// Until when the owner has to have tried again: a grace after the rotation that they have not heard of, or that is
    /// about to be made by a request under way.
    private var ownersPatience: Timestamp {
        let row = row
        let current = issued[row.token.generation]
        let isBehind = held.refreshToken != current || flights.contains { $0.answer == nil && $0.token != current }
        let underWay = flights.filter(\.isRunning).compactMap { $0.script?.startedAt }
        let rotations = isBehind ? underWay + [row.token.issuedAt] : underWay
        return rotations.map { $0 + Self.policy.refresh.reuseGrace }.min() ?? Timestamp(milliseconds: .max)
    }

    /// The process dies, and with it whatever it was about to say.
    private mutating func restart() throws {
        flights.removeAll(where: \.isRunning)
        gatekeeper = try Self.gatekeeper(on: stage)
        hasEnded = row.revokedAt != nil
    }

    /// Something gets one step further, or is lost.
    private mutating func move() {
        guard let index = flights.indices.randomElement(using: &dice) else { return }
        var flight = flights.remove(at: index)
        if let answer = flight.answer {
            if !chance(of: 3) { receive(answer, of: flight) }
        } else if flight.script != nil || !chance(of: 8) {
            play(&flight)
            flights.append(flight)
        }
    }

    private mutating func play(_ flight: inout Flight) {
        let before = row
        if flight.script == nil { flight.found = before }
        var script = flight.script ?? Script(startedAt: now, seed: dice.next())
        let errand = flight.errand
        flight.answer = stage.play(&script, storeFails: chance(of: 40)) { [gatekeeper] () throws(Refusal) in
            switch errand {
            case .refresh(let token): return try gatekeeper.refresh(token)
            case .signOut(let token): try gatekeeper.signOut(Array(token.utf8)[...], refreshToken: nil)
            }
            return nil
        }
        flight.script = script
        watch(&flight, from: before)
        if let answer = flight.answer { judge(flight, answer) }
    }

    private mutating func receive(_ answer: Flight.Answer, of flight: Flight) {
        guard case .success(.some(let pair)) = answer else { return }
        if flight.sender == .thief { loot.append(pair.refreshToken) }
        if flight.sender == .owner, flight.token == held.refreshToken { held = pair }
    }
}
