import JSON

/// That somebody has authorised an app: once for each refresh token that holds.
package struct Authorisation: Sendable, Equatable {
    package let subject: String
    package let clientID: String

    var json: JSONObject { ["sub": .string(subject), "client_id": .string(clientID)] }
}
