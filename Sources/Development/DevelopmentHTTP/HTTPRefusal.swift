package import JSON

/// Why a request to a program for development is refused.
package struct HTTPRefusal: Error, CustomStringConvertible {
    package let status: String
    package let description: String

    package init(_ status: String, _ description: String) {
        (self.status, self.description) = (status, description)
    }

    package static func invalid(_ description: String) -> HTTPRefusal { HTTPRefusal("400 Bad Request", description) }

    /// Another server has failed.
    package static func failed(_ description: String) -> HTTPRefusal { HTTPRefusal("502 Bad Gateway", description) }

    package var reply: HTTPReply { .refusal(status, description) }
}

extension HTTPRequest {
    /// The body, which must be a JSON object.
    package func object() throws(HTTPRefusal) -> JSONObject {
        guard let object = (try? JSONValue(parsing: body))?.object else {
            throw .invalid("the body must be a JSON object")
        }
        return object
    }
}
