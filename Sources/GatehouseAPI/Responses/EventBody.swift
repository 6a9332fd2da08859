public import JSON

/// Something that has happened to a user's account.
public struct EventBody: ResponseBody, Equatable {
    public var time: String
    public var kind: String
    public var actor: String
    public var sessionId: String?
    public var provider: String?
    public var device: String?
    public var address: String?
    public var detail: String?

    public init(
        time: String, kind: String, actor: String, sessionId: String?, provider: String?, device: String?,
        address: String?, detail: String?
    ) {
        self.time = time
        self.kind = kind
        self.actor = actor
        self.sessionId = sessionId
        self.provider = provider
        self.device = device
        self.address = address
        self.detail = detail
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("time", time)
        json.member("kind", kind)
        json.member("actor", actor)
        json.member("sessionId", sessionId)
        json.member("provider", provider)
        json.member("device", device)
        json.member("address", address)
        json.member("detail", detail)
    }
}
