import Gatehouse
import GatehouseAPI
import GatehouseTokens
import JSON

extension Catalog {
    static let bodies = [
        Entry(name: "parse login body") { folder in
            let body = try Apple(folder: folder).loginBody
            return repeating {
                guard let object = try JSONObjectReader(parsing: body) else { throw BenchmarkFault("no object") }
                var fields = FieldReader(object)
                return AppleLoginRequest(reading: &fields)
            }
        },
        Entry(name: "encode login response") { _ in
            let service = try Sample.tokens()
            let user = Sample.user(1)
            let body = LoginBody(
                tokens: TokenPairBody(
                    accessToken: service.accessToken(Sample.accessClaims),
                    refreshToken: service.refreshToken(Sample.refreshClaims), expiresIn: 900),
                isNewUser: true,
                user: UserBody(
                    id: user.id.text, email: user.email, emailVerified: true, nickname: nil, avatarUrl: nil,
                    role: user.role.rawValue,
                    status: user.status.rawValue, onboardingCompleted: false))
            return repeating { body.json }
        },
    ]
}
