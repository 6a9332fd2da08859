public import JSON

/// The answer of `GET /api/users/me/sessions`.
public struct SessionListBody: ResponseBody, Equatable {
    public var sessions: [SessionBody]

    public init(sessions: [SessionBody]) {
        self.sessions = sessions
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member(
            "sessions",
            array: { list in
                for session in sessions { list.object { session.write(to: &$0) } }
            })
    }
}
