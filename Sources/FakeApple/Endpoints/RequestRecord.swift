import JSON

/// What somebody asked of Apple, without anything that is secret.
package struct RequestRecord: Sendable {
    package let method: String
    package let path: String
    package var fields: [String] = []
    package var clientID: String?
    package var grantType: String?
    package var fault: String?
    package var status: Int?
    package var error: String?
    /// More than Apple would say.
    package var reason: String?

    init(_ request: HTTPRequest) {
        method = request.method
        path = request.path
        guard method == "POST", let form = try? Form(request) else { return }
        fields = form.names
        clientID = form["client_id"]
        grantType = form["grant_type"]
    }

    var json: JSONObject {
        let texts = [
            ("client_id", clientID), ("grant_type", grantType), ("fault", fault), ("error", error), ("reason", reason),
        ]
        var json: JSONObject = [
            "method": .string(method), "path": .string(path), "fields": .array(fields.map(JSONValue.string)),
        ]
        json["status"] = status.map { .integer(Int64($0)) }
        for (name, text) in texts { json[name] = text.map(JSONValue.string) }
        return json
    }
}
