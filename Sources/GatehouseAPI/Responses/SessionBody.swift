public import JSON

/// Where a user is signed in.
public struct SessionBody: ResponseBody, Equatable {
    public var id: String
    public var provider: String
    /// The user agent that signed in.
    public var device: String?
    public var address: String?
    /// The user agent of the last refresh.
    public var lastDevice: String?
    public var lastAddress: String?
    public var createdAt: String
    public var lastUsedAt: String
    /// Whether it is the one that asks.
    public var current: Bool

    public init(
        id: String, provider: String, device: String?, address: String?, lastDevice: String?, lastAddress: String?,
        createdAt: String, lastUsedAt: String, current: Bool
    ) {
        self.id = id
        self.provider = provider
        self.device = device
        self.address = address
        self.lastDevice = lastDevice
        self.lastAddress = lastAddress
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.current = current
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("id", id)
        json.member("provider", provider)
        json.member("device", device)
        json.member("address", address)
        json.member("lastDevice", lastDevice)
        json.member("lastAddress", lastAddress)
        json.member("createdAt", createdAt)
        json.member("lastUsedAt", lastUsedAt)
        json.member("current", current)
    }
}
