import Gatehouse
import GatehouseAPI

extension UserBody {
    init(_ user: User) {
        self.init(
            id: user.id.text, email: user.email, emailVerified: user.emailVerified, nickname: user.nickname,
            avatarUrl: user.avatarURL, role: user.role.rawValue, status: user.status.rawValue,
            onboardingCompleted: user.onboardingCompleted)
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

extension AccountBody {
    init(_ account: LinkedAccount) {
        self.init(
            provider: account.provider.rawValue, email: account.email, emailVerified: account.emailVerified,
            isPrivateEmail: account.isPrivateEmail, isMailForwarded: account.isMailForwarded,
            linkedAt: account.linkedAt.description)
    }
}

extension SessionBody {
    init(_ session: Session, current: SessionID) {
        self.init(
            id: session.id.text, provider: session.provider.rawValue, device: session.device.userAgent,
            address: session.device.address, lastDevice: session.lastDevice.userAgent,
            lastAddress: session.lastDevice.address, createdAt: session.createdAt.description,
            lastUsedAt: session.token.issuedAt.description, current: session.id == current)
    }
}
