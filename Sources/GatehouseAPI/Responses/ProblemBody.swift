public import JSON

/// An error as every part of Gatehouse answers it: RFC 9457, with a stable `code`.
public struct ProblemBody: ResponseBody, Equatable {
    public var status: Int
    public var title: String
    public var detail: String
    public var code: String
    public var requestId: String
    /// Narrows `invalid_apple_token`.
    public var reason: String?
    /// The members at fault, with every 400; nil with any other status.
    public var errors: [FieldError]?

    public init(
        status: Int, title: String, detail: String, code: String, requestId: String, reason: String? = nil,
        errors: [FieldError]? = nil
    ) {
        self.status = status
        self.title = title
        self.detail = detail
        self.code = code
        self.requestId = requestId
        self.reason = reason
        self.errors = errors
    }

    public func write(to json: inout JSONObjectWriter) {
        // RFC 9457, section 4.2.1: there is no page about it, and `code` tells problems apart.
        json.member("type", "about:blank")
        json.member("title", title)
        json.member("status", status)
        json.member("detail", detail)
        json.member("code", code)
        json.member("requestId", requestId)
        if let reason { json.member("reason", reason) }
        guard let errors else { return }
        json.member("errors", array: { list in for error in errors { list.object(error.write) } })
    }
}
