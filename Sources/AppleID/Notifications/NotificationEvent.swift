import Gatehouse
import JSON

/// The one event that a notification tells of, in any of the forms that Apple's documents and servers write it in.
struct NotificationEvent {
    let kind: AppleNotification.Kind
    /// Empty where an event of a kind that we do not know names nobody.
    let subject: String
    let moment: Timestamp?
    let email: String?
    let isPrivateEmail: Bool?

    init(_ claim: JSONValue) throws(AppleTokenFault) {
        guard let event = Self.object(claim), let type = event["type"]?.string else { throw .malformed }
        kind = Self.kind(type)
        let subject = event["sub"]?.subject
        guard subject != nil || kind == .other else { throw .malformed }
        self.subject = subject ?? ""
        moment = event["event_time"]?.momentInEitherUnit
        email = event["email"]?.email
        isPrivateEmail = event["is_private_email"]?.flag
    }

    private static func kind(_ type: String) -> AppleNotification.Kind {
        switch type {
        case "email-disabled": .emailDisabled
        case "email-enabled": .emailEnabled
        case "consent-revoked": .consentRevoked
        case "account-delete", "account-deleted": .accountDeleted
        default: .other
        }
    }

    /// An object, a text that holds one, or an array with one of either and nothing else.
    private static func object(_ claim: JSONValue) -> JSONObject? {
        let single = claim.array.flatMap { $0.count == 1 ? $0[0] : nil } ?? claim
        if let text = single.string { return (try? JSONValue(parsing: text))?.object }
        return single.object
    }
}
