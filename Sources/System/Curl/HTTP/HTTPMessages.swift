/// The body of a request.
struct HTTPBody {
    let contentType: String
    /// Further header fields of the request.
    var headers: [(String, String)] = []
    let bytes: [UInt8]
}

/// The response of a server, with any status.
package struct HTTPResponse: Sendable {
    package let status: Int
    /// The Date header, which tells the server's clock.
    package var date: String?
    /// The Age header: for how many seconds a cache has kept the response, whose date is that of its origin.
    package var age: String?
    /// The Retry-After header: seconds, or a date.
    package var retryAfter: String?
    package let body: [UInt8]
}

/// The response to one request, and the certificate that the server presented.
package struct HTTPInspection: Sendable {
    package let outcome: Result<HTTPResponse, HTTPFault>
    /// In PEM; nil without TLS, or if the connection failed earlier.
    package let certificate: String?
}
