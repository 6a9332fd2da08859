import DevelopmentHTTP

/// The header fields of a signed message, as the Standard Webhooks specification describes them.
struct WebhookSignature {
    /// How far the time of a message may be from the receiver's, in seconds.
    private static let tolerance: Int64 = 300

    let id: String
    private let timestamp: String
    private let tags: [[UInt8]]

    init(_ request: HTTPRequest) throws(HTTPRefusal) {
        guard let id = request["webhook-id"], let timestamp = request["webhook-timestamp"],
            let signature = request["webhook-signature"], !id.isEmpty
        else { throw Self.refusal("webhook-id, webhook-timestamp and webhook-signature are required") }
        self.id = id
        self.timestamp = timestamp
        // The specification separates signatures by spaces; some senders write a comma as well.
        tags = signature.split(separator: " ").compactMap { entry in
            let parts = entry.split(separator: ",", maxSplits: 1)
            guard parts.count == 2, parts[0] == "v1" else { return nil }
            return Base64.decode(parts[1].hasSuffix(",") ? parts[1].dropLast() : parts[1])
        }
    }

    func verify(_ body: [UInt8], with keys: WebhookKeys, now: Int64) throws(HTTPRefusal) {
        guard let time = Int64(timestamp), abs(now - time) <= Self.tolerance else {
            throw Self.refusal("webhook-timestamp: not a time of the last or next \(Self.tolerance) seconds")
        }
        let content = Array("\(id).\(timestamp).".utf8) + body
        guard tags.contains(where: { keys.haveSigned(content, as: $0) }) else {
            throw Self.refusal("webhook-signature: not of this message and a known secret")
        }
    }

    private static func refusal(_ description: String) -> HTTPRefusal {
        HTTPRefusal("401 Unauthorized", description)
    }
}
