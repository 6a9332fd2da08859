import JSON

/// What has become of a session that was to be ended.
struct SessionOutcome {
    let id: String
    /// Nil where there is none of this id.
    let wasAlive: Bool?

    var isKnown: Bool { wasAlive != nil }

    var text: String {
        switch wasAlive {
        case true?: "\(id.printable) ended"
        case false?: "\(id.printable) had ended already"
        case nil: "\(id.printable) is no session"
        }
    }

    var json: JSONValue {
        ["id": .string(id), "known": .bool(isKnown), "revoked": .bool(wasAlive == true)]
    }
}
