import Gatehouse
import GatehouseAPI

/// `GET /api/users/me/export`: everything that is held about the caller.
struct ExportEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me/export"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let (caller, export) = try refusing { () throws(Refusal) in
            let caller = try gatekeeper.authenticate(request.bearerToken)
            return (caller, try gatekeeper.export(of: caller))
        }
        var response = Response.ok(ExportBody(export, current: caller.sessionID))
        response.headers.append(Response.Header("Content-Disposition", "attachment; filename=\"account.json\""))
        return response
    }
}

extension ExportBody {
    fileprivate init(_ export: UserExport, current: SessionID) {
        self.init(
            exportedAt: export.moment.description, createdAt: export.user.createdAt.description,
            user: UserBody(export.user), accounts: export.accounts.map(ExportedAccountBody.init),
            sessions: export.sessions.map { SessionBody($0, current: current) },
            events: export.events.map(EventBody.init))
    }
}

extension ExportedAccountBody {
    fileprivate init(_ account: LinkedAccount) {
        self.init(
            account: AccountBody(account), userIdentifier: account.subject, emailHint: account.emailHint,
            realUserStatus: account.realUserStatus, realUserStatusHint: account.realUserStatusHint,
            transferUserIdentifier: account.transferSubject)
    }
}

extension EventBody {
    fileprivate init(_ event: AuditEvent) {
        self.init(
            time: event.moment.description, kind: event.kind.rawValue, actor: event.actor.rawValue,
            sessionId: event.sessionID?.text, provider: event.provider?.rawValue, device: event.device.userAgent,
            address: event.device.address, detail: event.detail)
    }
}
