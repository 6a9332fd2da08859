/// What HTTP calls the statuses that we use: a front without them would send a bare number.
enum ReasonPhrase {
    static let all = [
        200: "OK",
        204: "No Content",
        304: "Not Modified",
        400: "Bad Request",
        401: "Unauthorized",
        403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed",
        409: "Conflict",
        413: "Content Too Large",
        415: "Unsupported Media Type",
        422: "Unprocessable Content",
        503: "Service Unavailable",
    ]

    static func of(_ status: Int) -> String {
        guard let phrase = all[status] else { preconditionFailure("a status that no table of ours holds") }
        return phrase
    }
}
