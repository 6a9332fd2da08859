import Gatehouse
import JSON

extension AuditEvent {
    static let columns = [
        "MOMENT", "KIND", "ACTOR", "USER", "SESSION", "PROVIDER", "ADDRESS", "DETAIL", "COUNT", "OPERATOR",
    ]

    /// What stands in `columns`.
    var row: [String?] {
        [
            moment.description, kind.rawValue, actor.rawValue, userID?.text, sessionID?.text, provider?.rawValue,
            device.address, detail, "×\(count)", operatorName,
        ]
    }

    var json: JSONValue {
        [
            "moment": .string(moment.description), "kind": .string(kind.rawValue), "actor": .string(actor.rawValue),
            "userId": JSONValue(userID?.text), "sessionId": JSONValue(sessionID?.text),
            "provider": JSONValue(provider?.rawValue), "address": JSONValue(device.address),
            "device": JSONValue(device.userAgent), "detail": JSONValue(detail), "count": .integer(count),
            "operator": JSONValue(operatorName),
        ]
    }
}
