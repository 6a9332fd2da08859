public import JSON

/// The answer of `GET /healthz`.
public struct HealthBody: ResponseBody, Equatable {
    public init() {}

    public func write(to json: inout JSONObjectWriter) {
        json.member("status", "ok")
    }
}
