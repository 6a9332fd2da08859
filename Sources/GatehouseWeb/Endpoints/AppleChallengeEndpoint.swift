import Gatehouse
import GatehouseAPI

/// `POST /api/auth/apple/challenge`: a nonce for one login with Apple.
struct AppleChallengeEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/apple/challenge"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let challenge = gatekeeper.challenge()
        return .ok(ChallengeBody(nonce: challenge.nonce, expiresIn: challenge.expiresIn.wholeSeconds))
    }
}
