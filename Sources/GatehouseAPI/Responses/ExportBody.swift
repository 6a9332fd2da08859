public import JSON

/// The answer of `GET /api/users/me/export`.
public struct ExportBody: ResponseBody, Equatable {
    public var exportedAt: String
    public var createdAt: String
    public var user: UserBody
    public var accounts: [ExportedAccountBody]
    public var sessions: [SessionBody]
    public var events: [EventBody]

    public init(
        exportedAt: String, createdAt: String, user: UserBody, accounts: [ExportedAccountBody], sessions: [SessionBody],
        events: [EventBody]
    ) {
        self.exportedAt = exportedAt
        self.createdAt = createdAt
        self.user = user
        self.accounts = accounts
        self.sessions = sessions
        self.events = events
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("exportedAt", exportedAt)
        json.member("createdAt", createdAt)
        json.member("user", object: user.write)
        json.member("accounts", array: { list in for account in accounts { list.object(account.write) } })
        json.member("sessions", array: { list in for session in sessions { list.object(session.write) } })
        json.member("events", array: { list in for event in events { list.object(event.write) } })
    }
}
