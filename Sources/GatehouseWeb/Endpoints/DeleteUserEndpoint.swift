import Gatehouse
import GatehouseAPI

/// `DELETE /api/users/me`: ends the caller's account.
struct DeleteUserEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me"
    let gatekeeper: Gatekeeper

    /// Where people take back by hand what they have agreed to at Apple.
    private static let byHand: FieldValue = "<https://account.apple.com/account/manage>; rel=\"help\""

    func respond(to request: Request) throws(Problem) -> Response {
        let caller = try refusing { () throws(Refusal) in try gatekeeper.authenticate(request.bearerToken) }
        let body = try request.readIfPresent(DeleteUserRequest.self)
        let revocation = try refusingToken { () throws(Refusal) in
            try gatekeeper.deleteAccount(
                of: caller, authorizationCode: body?.authorizationCode,
                credential: body?.proof.map(AppleCredential.init))
        }
        return Response(status: 204, headers: headers(for: revocation))
    }

    /// An answer without a body says in its headers what the user may have to do themselves.
    private func headers(for revocation: AppleRevocation) -> [Response.Header] {
        switch revocation {
        case .notNeeded: []
        case .queued: [Response.Header("X-Apple-Revocation", "queued")]
        case .byHand: [Response.Header("X-Apple-Revocation", "by-hand"), Response.Header("Link", Self.byHand)]
        }
    }
}
