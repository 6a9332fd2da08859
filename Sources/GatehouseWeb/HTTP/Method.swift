/// The request methods that some endpoint answers.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
}
