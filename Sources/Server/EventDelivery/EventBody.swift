package import Gatehouse
package import JSON

/// Writes a user as the API for services does.
package typealias UserWriter = @Sendable (UserSummary, inout JSONObjectWriter) -> Void

/// The JSON document that a receiver gets.
struct EventBody {
    let bytes: [UInt8]

    /// - Parameter user: as they are now; nil if the database has no such user.
    init(_ event: UserEvent, user: UserSummary?, writing write: UserWriter) {
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            json.member("type", event.type.rawValue)
            json.member("timestamp", event.moment.description)
            json.member("data") { data in
                data.member("userId", event.userID.text)
                if let user { data.member("user") { write(user, &$0) } } else { data.member("user", nil as String?) }
                event.content.write(to: &data)
            }
        }
        bytes = json.finish()
    }
}

extension UserEvent.Content {
    fileprivate func write(to data: inout JSONObjectWriter) {
        switch self {
        case .created(let provider), .linked(let provider), .unlinked(let provider):
            data.member("provider", provider.rawValue)
        case .updated(let names): data.member("changed", JSONValue.array(names.map(JSONValue.string)))
        case .deleted(let user): data.member("joinedUserId", user?.text)
        case .disabled, .enabled: break
        case .sessionRevoked(let session, let reason):
            data.member("sessionId", session.text)
            data.member("reason", reason.rawValue)
        case .deviceAdded(let session, let provider):
            data.member("sessionId", session.text)
            data.member("provider", provider.rawValue)
        }
    }
}
