import Curl
package import DevelopmentHTTP
package import JSON

/// The contents of a notification, and its receiver.
package struct NotificationOrder: Sendable {
    /// The form of `events`: Apple's documentation and real notifications differ.
    package enum Shape: String, Sendable, CaseIterable {
        case object, string, array
    }

    package enum TimeUnit: String, Sendable, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
    }

    package var type: String
    package var subject: String
    package var audience: String
    package var email: String?
    package var isPrivateEmail: JSONValue = "true"
    package var shape = Shape.string
    package var time = TimeUnit.milliseconds
    package var identifier: String?
    /// Members that replace the usual ones; `null` removes one.
    package var claims: JSONObject = [:]
    package var header: JSONObject = [:]
    /// The URL to post it to; nil for none.
    package var address: String?

    package init(type: String, subject: String, audience: String) {
        (self.type, self.subject, self.audience) = (type, subject, audience)
    }

    /// Reads the body of `POST /notify`.
    package init(_ json: JSONObject, audience: String) throws(HTTPRefusal) {
        var order = OrderReader(json)
        guard let type = order.text("type") else { throw Self.fault("type") }
        guard let subject = order.text("sub") else { throw Self.fault("sub") }
        self.init(type: type, subject: subject, audience: order.text("aud") ?? audience)
        address = order.text("to")
        email = order.text("email")
        isPrivateEmail = order.value("is_private_email") { _ in true } ?? isPrivateEmail
        identifier = order.text("jti")
        claims = order.object("claims") ?? [:]
        header = order.object("header") ?? [:]
        shape = order.choice("shape") ?? shape
        time = order.choice("time") ?? time
        try order.end(Self.known)
    }

    private static func fault(_ name: String) -> HTTPRefusal { .invalid("\(name): \(known)") }

    private static let known =
        "needed are the strings type, sub; known the strings aud, to, email, jti, shape (object, string, array), time "
        + "(s, ms), the flag is_private_email and the objects claims, header"
}

extension Mint {
    /// A notification about a change of a user's account: `{"payload": …}`.
    package func notification(
        _ order: NotificationOrder, view: TeamView = TeamView(), now: Int64
    ) -> JSONObject {
        let event = event(order, view, now: now)
        let claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": .string(order.audience), "exp": .integer(now + 86_400),
            "iat": .integer(now), "jti": .string(order.identifier ?? RandomText.hexadecimal(16)),
            "events": order.shape.value(of: event),
        ]
        return ["payload": .string(sign(claims.replacing(order.claims), header: order.header))]
    }

    private func event(_ order: NotificationOrder, _ view: TeamView, now: Int64) -> JSONObject {
        // The subject that the owner of the app knows.
        let subject = view.subject(of: view.person(of: order.subject))
        var event: JSONObject = [
            "type": .string(order.type), "sub": .string(subject),
            "event_time": .integer(order.time == .seconds ? now : now * 1000),
        ]
        if order.type.hasPrefix("email-") || order.email != nil {
            event["email"] = .string(order.email ?? Person.relayAddress(of: subject))
            event["is_private_email"] = order.isPrivateEmail
        }
        return event
    }
}

extension NotificationOrder.Shape {
    fileprivate func value(of event: JSONObject) -> JSONValue {
        switch self {
        case .object: .object(event)
        case .string: .string(event.description)
        case .array: [.object(event)]
        }
    }
}

/// Posts notifications as Apple's servers do.
package struct NotificationSender: Sendable {
    private let client: HTTPClient

    /// - Parameter authorities: a file of trusted certificates in place of the system's.
    package init(authorities: String? = nil) {
        client = HTTPClient(timeout: .seconds(10), authorities: authorities)
    }

    /// Returns the answer of the receiver: `{"status", "answer"}`.
    package func deliver(_ notification: JSONObject, to address: String) throws(HTTPRefusal) -> JSONObject {
        guard address.hasPrefix("https://") || Loopback.isHost(of: address) else {
            throw .failed("to: must be an https URL, or an http URL of this machine")
        }
        do throws(HTTPFault) {
            let answer = try client.post(address, json: notification.bytes)
            let body = (try? JSONValue(parsing: answer.body)) ?? .string(String(decoding: answer.body, as: UTF8.self))
            return ["status": .integer(Int64(answer.status)), "answer": body]
        } catch {
            throw .failed("\(error)")
        }
    }
}
