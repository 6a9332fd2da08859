import Gatehouse
import Text

/// Tells nginx whether a guarded request may pass, and who sent it. Not reachable from outside. Requests of every method are
/// answered: nginx turns every answer but 204, 401 and 403 into 500, and a front may pass on the method of the guarded request.
extension Endpoints {
    func verify(_ request: Request, _ caller: Caller, in context: inout RequestContext) throws -> Response {
        // A token whose ids cannot be written into a header is refused: the service behind nginx must never see a
        // request without a user, or with another one.
        guard let user = Response.Header("X-User-Id", checking: caller.userID.text),
            let session = Response.Header("X-Session-Id", checking: caller.sessionID.text)
        else { throw Refusal.invalidAccessToken }
        let authTime = Response.Header("X-Auth-Time", FieldValue(Int(caller.authenticatedAt.seconds)))
        var headers = [user, Response.Header("X-User-Role", caller.role.fieldValue), session, authTime]
        if caller.strength == .twoFactors { headers.append(Response.Header("X-User-Acr", "urn:gatehouse:2")) }
        if caller.isGuest { headers.append(Response.Header("X-User-Guest", "true")) }
        if !caller.attributes.isEmpty { headers += caller.attributes.headers }
        return Response(status: 204, headers: headers)
    }

    /// A refusal has no body, because nginx reads only the headers of a subrequest and would write a body to a
    /// temporary file. Code and detail are headers, from which nginx makes the document for the client.
    func guardResponse(to problem: Problem, of request: Request) -> Response {
        let entry = problem.entry
        let role = request.text(of: .demandedRole).flatMap { auth.isRole($0) ? $0 : nil }
        let details = [
            Response.Header("X-Problem-Code", checking: entry.code),
            Response.Header("X-Problem-Detail", checking: entry.detail),
            problem.reason.flatMap { Response.Header("X-Problem-Reason", checking: $0) },
        ]
        let headers = problem.headers(hasCredentials: request.accessToken != nil, scope: role)
        return Response(status: entry.status, headers: headers + details.compactMap(\.self))
    }
}

extension Role {
    fileprivate var fieldValue: FieldValue {
        switch self {
        case .user: "USER"
        case .admin: "ADMIN"
        case .superAdmin: "SUPER_ADMIN"
        }
    }
}

extension Attributes {
    /// One for each member but those that are null. The name is checked again: a database may have been changed by hand.
    fileprivate var headers: [Response.Header] {
        members.filter { AttributePolicy.isName($0.name) && $0.value != "null" }.compactMap { name, value in
            Response.Header(AttributePolicy.header(of: name), checking: Self.headerText(of: value))
        }
    }

    /// A text of printable ASCII without quotation marks and backslashes is sent as it is, unless a service could take it for JSON.
    /// Every other value is JSON in ASCII.
    private static func headerText(of value: Substring) -> String {
        if let text = text(of: value) {
            let isPlain = text.utf8.allSatisfy { $0.isPrintable && $0 != 0x22 && $0 != 0x5C }
            let isAmbiguous =
                text.isEmpty || text.hasPrefix(" ") || text.hasSuffix(" ") || text.hasPrefix("[") || text.hasPrefix("{")
            if isPlain, !isAmbiguous { return String(text) }
        }
        return value.utf16.reduce(into: "") { ascii, unit in
            if (0x20...0x7E).contains(unit) { return ascii.unicodeScalars.append(Unicode.Scalar(UInt8(unit))) }
            let digits = String(unit, radix: 16)
            ascii += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
