import Gatehouse
import JSON

extension QueuedEvent {
    static let columns = ["NUMBER", "ID", "RECEIVER", "TYPE", "USER", "MOMENT", "ATTEMPTS", "DUE", "FAULT"]

    /// The cells under `columns`.
    var row: [String?] {
        [
            "\(number)", id, receiver, event.type.rawValue, event.userID.text, event.moment.description, "\(attempts)",
            deadAt == nil ? dueAt?.description ?? "now" : "dead", fault,
        ]
    }

    /// Every field, one per line.
    var report: String {
        let lines: [[String?]] = [
            ["id", id], ["receiver", receiver], ["type", event.type.rawValue], ["user", event.userID.text],
            ["detail", event.detailText], ["moment", event.moment.description], ["attempts", "\(attempts)"],
            ["due", deadAt == nil ? dueAt?.description ?? "now" : nil],
            ["given up", deadAt == nil ? expiresAt?.description : nil],
            ["dead since", deadAt?.description], ["fault", fault],
        ]
        return Table(lines).text
    }

    var json: JSONValue {
        [
            "number": .integer(number), "id": .string(id), "receiver": .string(receiver),
            "type": .string(event.type.rawValue), "userId": .string(event.userID.text),
            "detail": JSONValue(event.detailText), "moment": .string(event.moment.description),
            "attempts": .integer(attempts), "dueAt": JSONValue(dueAt?.description),
            "expiresAt": JSONValue(expiresAt?.description), "deadAt": JSONValue(deadAt?.description),
            "fault": JSONValue(fault),
        ]
    }
}

extension UserEvent {
    /// What the event says besides its type and its user.
    fileprivate var detailText: String? {
        switch content {
        case .created(let provider), .linked(let provider), .unlinked(let provider): provider.rawValue
        case .updated(let names): names.joined(separator: " ")
        case .deleted(let user): user.map { "joined \($0.text)" }
        case .disabled, .enabled: nil
        case .sessionRevoked(let session, let reason): "\(session.text) \(reason.rawValue)"
        case .deviceAdded(let session, let provider): "\(session.text) \(provider.rawValue)"
        }
    }
}
