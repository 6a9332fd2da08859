package import JSON

/// What a notification from Apple's servers is to say, and to whom.
package struct NotificationOrder: Sendable {
    /// How `events` is written: Apple's documentation and what servers have seen differ.
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
    /// Members that replace whatever else would be there; `null` takes one away.
    package var claims: JSONObject = [:]
    package var header: JSONObject = [:]
    /// Where it is posted; nowhere where nil.
    package var address: String?

    package init(type: String, subject: String, audience: String) {
        self.type = type
        self.subject = subject
        self.audience = audience
    }

    /// Reads the body of `POST /notify`. Members that mean nothing are refused, so that a slip of the pen shows.
    package init(_ json: JSONObject, audience: String) throws(MintFault) {
        guard let type = json["type"]?.string else { throw Self.fault("type") }
        guard let subject = json["sub"]?.string else { throw Self.fault("sub") }
        self.init(type: type, subject: subject, audience: audience)
        for (name, value) in json.members { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: JSONValue) throws(MintFault) {
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
    ) throws(MintFault) -> Choice {
        guard let choice = Choice(rawValue: text) else { throw fault(name) }
        return choice
    }

    private static func fault(_ name: String) -> MintFault {
        MintFault(
            name: name,
            known: "needed are the strings type, sub; known the strings aud, to, email, jti, shape "
                + "(object, string, array), time (s, ms), the flag is_private_email and the objects claims, header")
    }
}
