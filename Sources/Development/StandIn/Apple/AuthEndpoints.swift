import DevelopmentHTTP
import JSON

/// Apple's endpoints, below `/auth`.
struct AuthEndpoints {
    let keys: PublishedKeys
    let developer: DeveloperAccount
    let grants: GrantStore
    let faults: Faults<AppleFault>
    let forged: ForgedAnswers
    let requests: RequestLog
    let transfers: TransferStore

    func answer(_ request: HTTPRequest, now: Int64) -> HTTPAction {
        var record = RequestRecord(request, from: developer)
        let fault = faults.next(for: request.path)
        record.fault = fault?.kind.rawValue
        let action = fault?.action(for: request.path) ?? act(on: request, &record, now: now)
        if case .reply(let reply, _) = action { record.status = reply.statusCode }
        requests.add(record)
        guard let fault, fault.kind == .delay, case .reply(let reply, _) = action else { return action }
        return .reply(reply, afterSeconds: fault.seconds)
    }

    private func act(on request: HTTPRequest, _ record: inout RequestRecord, now: Int64) -> HTTPAction {
        do {
            if ["GET", "POST"].contains(request.method), request.path == AuthorizePage.path {
                let page = AuthorizePage(
                    services: developer.services, keys: keys, grants: grants, forged: forged, transfers: transfers)
                return .reply(try page.answer(request, now: now))
            }
            return .reply(try reply(to: request, now: now))
        } catch let error as OAuthError {
            record.error = error.code.rawValue
            record.reason = error.reason
            return .reply(HTTPReply(status: "400 Bad Request", json: error.json))
        } catch let fault as PageFault {
            record.error = fault.error
            record.reason = fault.reason
            return .reply(WebPage.fault(of: "Apple", fault.error, fault.reason).reply)
        } catch {
            return .reply(.refusal("500 Internal Server Error", "\(error)"))
        }
    }

    private func reply(to request: HTTPRequest, now: Int64) throws(OAuthError) -> HTTPReply {
        switch (request.method, request.path) {
        case ("GET", "/auth/keys"):
            return .ok(keys.document)
        case ("POST", "/auth/token"):
            let endpoint = TokenEndpoint(developer: developer, grants: grants, keys: keys, transfers: transfers)
            return .ok(try endpoint.answer(Form(request), now: now).bytes)
        case ("POST", "/auth/revoke"):
            try RevokeEndpoint(developer: developer, grants: grants, transfers: transfers)
                .answer(Form(request), now: now)
            return .ok([])
        case ("POST", MigrationEndpoint.path):
            let endpoint = MigrationEndpoint(developer: developer, transfers: transfers)
            let answer = try endpoint.answer(Form(request), authorization: request["authorization"], now: now)
            return .ok(answer.bytes)
        default:
            return .refusal(
                "404 Not Found",
                "GET /auth/authorize, GET /auth/keys, POST /auth/token, POST /auth/revoke, POST \(MigrationEndpoint.path)"
            )
        }
    }
}
