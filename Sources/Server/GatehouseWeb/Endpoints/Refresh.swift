package import Gatehouse
package import JSON

/// `POST /api/auth/refresh`: exchanges a refresh token for its successor.
struct RefreshEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/refresh"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let body = try request.read(RefreshBody.self)
        return .ok(
            try auth.refresh(
                body.refreshToken, proof: request.proof, from: request.device, in: &context))
    }
}

private struct RefreshBody: RequestBody {
    let refreshToken: String

    init(reading fields: inout FieldReader) {
        refreshToken = fields.required("refreshToken", atMost: FieldLimit.token)
    }
}

extension TokenPair: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("accessToken", accessToken)
        json.member("refreshToken", refreshToken)
        json.member("tokenType", isBound ? "DPoP" : "Bearer")
        json.member("expiresIn", expiresIn.wholeSeconds)
    }
}
