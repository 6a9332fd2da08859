import Gatehouse

/// A request between the moment it is sent and the moment its answer has arrived or is known to be lost.
struct Flight {
    enum Sender {
        /// An app or its extension: they share one place for their token.
        case owner
        /// Has tokens that were the owner's once.
        case thief
        /// Has our secret, and none of our dice.
        case forger
    }

    enum Errand {
        case refresh(String)
        case signOut(accessToken: String)
    }

    typealias Answer = Result<TokenPair?, Refusal>

    let sender: Sender
    let errand: Errand
    /// What it is to be judged by: the row when the request first looked at it.
    var found: Session?
    /// Nil while it is on its way there.
    var script: Script?
    /// Nil until it is on its way back.
    var answer: Answer?
    var hasEndedSession = false

    init(_ sender: Sender, _ errand: Errand) {
        self.sender = sender
        self.errand = errand
    }

    var token: String? {
        guard case .refresh(let token) = errand else { return nil }
        return token
    }

    var isRunning: Bool { script != nil && answer == nil }
}
