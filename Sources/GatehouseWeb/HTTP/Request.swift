package import Gatehouse

/// A request as the web layer sees it, whatever brought it here.
package struct Request: Sendable {
    package var method: String
    /// Without query, percent-decoded and free of dot segments, as the front has normalised it.
    package var path: String
    /// What stands for `{id}` in the path of the endpoint; empty where there is none.
    package internal(set) var pathArgument = ""
    package var contentType: String?
    package var authorization: String?
    package var ifNoneMatch: String?
    /// The least role that the front's configuration demands of whoever comes in. No client has a say in it.
    package var demandedRole: String?
    package var body: [UInt8]
    package var bodyIsTooLarge: Bool
    package var device: Device
    /// Names this request in answers and logs.
    package var id: String

    package init(
        method: String, path: String, contentType: String? = nil, authorization: String? = nil,
        ifNoneMatch: String? = nil, demandedRole: String? = nil, body: [UInt8] = [], bodyIsTooLarge: Bool = false,
        device: Device = .unknown, id: String
    ) {
        self.method = method
        self.path = path
        self.contentType = contentType
        self.authorization = authorization
        self.ifNoneMatch = ifNoneMatch
        self.demandedRole = demandedRole
        self.body = body
        self.bodyIsTooLarge = bodyIsTooLarge
        self.device = device
        self.id = id
    }
}
