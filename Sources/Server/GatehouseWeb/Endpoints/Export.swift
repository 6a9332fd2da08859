package import Gatehouse
package import JSON

/// `GET /api/users/me/export`: returns all data about the caller.
struct ExportEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me/export"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        let export = try auth.export(of: caller)
        var response = Response.ok(ExportBody(export: export, current: caller.sessionID))
        response.headers.append(Response.Header("Content-Disposition", "attachment; filename=\"account.json\""))
        return response
    }
}

private struct ExportBody: ResponseBody {
    let export: UserExport
    let current: SessionID

    func write(to json: inout JSONObjectWriter) {
        json.member("exportedAt", export.moment.description)
        json.member("createdAt", export.user.createdAt.description)
        json.member("user", object: export.user.write)
        json.member(
            "accounts",
            array: { list in
                for account in export.accounts { list.object(ExportedAccountBody(account: account).write) }
            })
        json.member(
            "sessions",
            array: { list in
                for session in export.sessions { list.object(SessionBody(session, current: current).write) }
            })
        json.member("events", array: { list in for event in export.events { list.object(event.write) } })
    }
}

/// All that is kept about an account.
private struct ExportedAccountBody: ResponseBody {
    let account: LinkedAccount

    func write(to json: inout JSONObjectWriter) {
        account.write(to: &json)
        json.member("userIdentifier", account.subject)
        json.member("emailHint", account.emailHint)
        json.member("realUserStatus", account.realUserStatus.map(JSONValue.integer) ?? .null)
        json.member("realUserStatusHint", account.realUserStatusHint.map(JSONValue.integer) ?? .null)
        json.member("transferUserIdentifier", account.transferSubject)
        json.member("formerUserIdentifier", account.formerSubject)
        json.member("unionUserIdentifier", account.unionSubject)
    }
}

extension AuditEvent: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("time", moment.description)
        json.member("kind", kind.rawValue)
        json.member("actor", actor.rawValue)
        json.member("sessionId", sessionID?.text)
        json.member("provider", provider?.rawValue)
        json.member("device", device.userAgent)
        json.member("address", device.address)
        json.member("detail", detail)
    }
}
