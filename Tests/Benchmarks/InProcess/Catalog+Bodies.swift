import Gatehouse
import GatehouseTokens
import GatehouseWeb
import JSON

extension Catalog {
    static let bodies = [
        Entry(name: "parse login body") { folder in
            let body = try AppleFixture(folder: folder).loginBody
            return repeating {
                guard let object = try JSONObjectReader(parsing: body) else {
                    throw BenchmarkFault("the login body is not a JSON object")
                }
                var fields = FieldReader(object)
                return AppleLoginBody(reading: &fields)
            }
        },
        Entry(name: "encode login response") { _ in
            let service = try Sample.tokens()
            let user = Sample.user(1)
            let tokens = TokenPair(
                accessToken: service.accessToken(Sample.accessClaims),
                refreshToken: service.refreshToken(Sample.refreshClaims), expiresIn: .seconds(900),
                sessionExpiresIn: .seconds(86_400))
            let body = LoginBody(LoginResult(tokens: tokens, user: Sample.user(1), isNewUser: true))
            return repeating { body.json }
        },
    ]
}
