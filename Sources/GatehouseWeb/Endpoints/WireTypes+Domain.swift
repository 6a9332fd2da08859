import Gatehouse
import GatehouseAPI

extension UserBody {
    init(_ user: User) {
        self.init(
            id: user.id.text, email: user.email, nickname: user.nickname, avatarUrl: user.avatarURL,
            role: user.role.rawValue, status: user.status.rawValue, onboardingCompleted: user.onboardingCompleted)
    }
}

extension TokenPairBody {
    init(_ pair: TokenPair) {
        self.init(
            accessToken: pair.accessToken, refreshToken: pair.refreshToken, expiresIn: pair.expiresIn.wholeSeconds)
    }
}

extension LoginBody {
    init(_ signedIn: SignedIn) {
        self.init(
            tokens: TokenPairBody(signedIn.tokens), isNewUser: signedIn.isNewUser, user: UserBody(signedIn.user))
    }
}
