import Gatehouse

/// A request of the simulation, from the time it is sent until its answer arrives or is lost.
struct SimulatedRequest {
    enum Sender {
        /// The user's app or its extension, which share their stored tokens.
        case owner
        /// Has stolen tokens of the owner.
        case thief
        /// Has the signing secret, but not the random part of a token.
        case forger
    }

    enum Operation {
        case refresh(String)
        case logOut(accessToken: String)
    }

    typealias Answer = Result<TokenPair?, Refusal>

    let sender: Sender
    let operation: Operation
    /// Nil without a proof.
    let proof: SimulatedProof?
    /// The session when the request arrived, by which its answer is checked.
    var found: Session?
    /// When the generation that was current at the arrival of the request was first used; nil if it was not.
    var confirmedAt: Timestamp?
    /// Nil before the request arrives.
    var replay: RequestReplay?
    /// Nil before the request is answered.
    var answer: Answer?
    var hasEndedSession = false

    init(_ sender: Sender, _ operation: Operation, proof: SimulatedProof?) {
        self.sender = sender
        self.operation = operation
        self.proof = proof
    }

    var token: String? {
        guard case .refresh(let token) = operation else { return nil }
        return token
    }

    var isRunning: Bool { replay != nil && answer == nil }
}

/// A proof for a bound session, made when its request is sent.
struct SimulatedProof {
    static let (ownKey, foreignKey) = ("phone", "thief")

    let key: String
    /// Different for each request.
    let id: Int
    let issuedAt: Timestamp

    /// For `PlainTokens`.
    var sent: SentProof {
        let text = Array("\(key) \(id) \(issuedAt.milliseconds)".utf8)[...]
        return SentProof(text, method: "POST", url: ProofURL(.unknown, path: "/"))
    }
}
