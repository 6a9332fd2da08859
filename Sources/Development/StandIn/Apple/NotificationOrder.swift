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
        self.type = type
        self.subject = subject
        self.audience = audience
    }

    /// Reads the body of `POST /notify`. Refuses unknown members, so that typing errors are found.
    package init(_ json: JSONObject, audience: String) throws(HTTPRefusal) {
        guard let type = json["type"]?.string else { throw Self.fault("type") }
        guard let subject = json["sub"]?.string else { throw Self.fault("sub") }
        self.init(type: type, subject: subject, audience: audience)
        for (name, value) in json.members { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: JSONValue) throws(HTTPRefusal) {
        switch (name, value) {
        case ("type", _), ("sub", _): break
        case ("aud", .string(let text)): audience = text
        case ("to", .string(let text)): address = text
        case ("email", .string(let text)): email = text
        case ("is_private_email", _): isPrivateEmail = value
        case ("jti", .string(let text)): identifier = text
        case ("claims", .object(let members)): claims = members
        case ("header", .object(let members)): header = members
        case ("shape", .string(let text)): shape = try Self.choice(text, "shape")
        case ("time", .string(let text)): time = try Self.choice(text, "time")
        default: throw Self.fault(name)
        }
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ text: String, _ name: String
    ) throws(HTTPRefusal) -> Choice {
        guard let choice = Choice(rawValue: text) else { throw fault(name) }
        return choice
    }

    private static func fault(_ name: String) -> HTTPRefusal {
        .invalid(
            "\(name): needed are the strings type, sub; known the strings aud, to, email, jti, shape "
                + "(object, string, array), time (s, ms), the flag is_private_email and the objects claims, header")
    }
}

extension Mint {
    /// A notification about a change of a user's account: `{"payload": …}`.
    package func notification(_ order: NotificationOrder, now: Int64) -> JSONObject {
        let event = event(order, now: now)
        var claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": .string(order.audience), "exp": .integer(now + 86_400),
            "iat": .integer(now), "jti": .string(order.identifier ?? RandomText.hexadecimal(16)),
        ]
        claims["events"] =
            switch order.shape {
            case .object: .object(event)
            case .string: .string(event.description)
            case .array: .array([.object(event)])
            }
        claims.replaceMembers(by: order.claims)
        return ["payload": .string(sign(claims, header: order.header))]
    }

    private func event(_ order: NotificationOrder, now: Int64) -> JSONObject {
        var event: JSONObject = [
            "type": .string(order.type), "sub": .string(subject(order.subject)),
            "event_time": .integer(order.time == .seconds ? now : now * 1000),
        ]
        if order.type.hasPrefix("email-") || order.email != nil {
            event["email"] = .string(order.email ?? Person.relayAddress(of: subject(order.subject)))
            event["is_private_email"] = order.isPrivateEmail
        }
        return event
    }
}
