import Gatehouse
import JSON

extension QueuedEvent {
    static let columns = ["NUMBER", "ID", "RECEIVER", "TYPE", "USER", "MOMENT", "ATTEMPTS", "DUE", "FAULT"]

    /// The cells under `columns`.
    var row: [String?] {
        [
            "\(number)", id, receiver, event.type.rawValue, event.userID.text, event.moment.description, "\(attempts)",
            deadAt == nil ? dueAt.description : "dead", fault,
        ]
    }

    /// Every field, one per line.
    var report: String {
        let lines: [[String?]] = [
            ["id", id], ["receiver", receiver], ["type", event.type.rawValue], ["user", event.userID.text],
            ["detail", event.detailText], ["moment", event.moment.description], ["attempts", "\(attempts)"],
            ["due", deadAt == nil ? dueAt.description : nil], ["expires", deadAt == nil ? expiresAt.description : nil],
            ["dead since", deadAt?.description], ["fault", fault],
        ]
        return Table(lines).text
    }

    var json: JSONValue {
        [
            "number": .integer(number), "id": .string(id), "receiver": .string(receiver),
            "type": .string(event.type.rawValue), "userId": .string(event.userID.text),
            "detail": JSONValue(event.detailText), "moment": .string(event.moment.description),
            "attempts": .integer(attempts), "dueAt": .string(dueAt.description),
            "expiresAt": .string(expiresAt.description), "deadAt": JSONValue(deadAt?.description),
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
        }
    }
}

extension ReceiverState {
    static let columns = ["NAME", "TYPES", "WAITING", "OLDEST", "DEAD", "STOPPED", "SEEN"]

    /// The cells under `columns`.
    var row: [String?] {
        [
            subscription.name, typeNames?.joined(separator: " ") ?? "all", "\(waiting)", oldest?.description, "\(dead)",
            stoppedAt?.description, seenAt.description,
        ]
    }

    var json: JSONValue {
        [
            "name": .string(subscription.name),
            "types": typeNames.map { .array($0.map(JSONValue.string)) } ?? .null,
            "waiting": .integer(Int64(waiting)), "oldest": JSONValue(oldest?.description),
            "dead": .integer(Int64(dead)), "stoppedAt": JSONValue(stoppedAt?.description),
            "seenAt": .string(seenAt.description),
        ]
    }

    private var typeNames: [String]? { subscription.types?.map(\.rawValue).sorted() }
}
