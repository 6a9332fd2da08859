package import JSON

extension Mint {
    /// What Apple's servers post when somebody changes something about their account: `{"payload": …}`.
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
            "type": .string(order.type), "sub": .string(order.subject),
            "event_time": .integer(order.time == .seconds ? now : now * 1000),
        ]
        if order.type.hasPrefix("email-") || order.email != nil {
            event["email"] = .string(order.email ?? Person.relayAddress(of: order.subject))
            event["is_private_email"] = order.isPrivateEmail
        }
        return event
    }
}
