import Foundation

/// The answer of a login: the members of a refresh, and the user.
struct LoginAnswer: Decodable {
    let refresh: RefreshAnswer
    let isNewUser: Bool
    let isKnownAddress: Bool
    let user: User

    private enum CodingKeys: CodingKey { case isNewUser, knownAddress, user }

    init(from decoder: any Decoder) throws {
        refresh = try RefreshAnswer(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        isNewUser = try members.decode(Bool.self, forKey: .isNewUser)
        isKnownAddress = try members.decodeIfPresent(Bool.self, forKey: .knownAddress) ?? false
        user = try members.decode(User.self, forKey: .user)
    }

    /// - Parameter key: the name of the key whose proof was sent. A server of an earlier version ignores the proof.
    func session(at date: Date, key: String?, by provider: Provider) -> StoredSession {
        let isBound = refresh.tokenType?.lowercased() == "dpop"
        return StoredSession(
            login: UUID(), tokens: refresh.tokens(at: date), user: user, key: isBound ? key : nil, provider: provider)
    }
}
