/// The request methods that some endpoint answers.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"

    /// The methods of requests that an endpoint of this one answers: HEAD is a GET without the body.
    var names: [String] { self == .get ? ["GET", "HEAD"] : [rawValue] }
}
