import Gatehouse
import JSON

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
