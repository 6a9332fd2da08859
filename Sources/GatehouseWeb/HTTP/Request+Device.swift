import Gatehouse

extension Request {
    /// Where it comes from. User agents can be of any length; the first part tells devices apart.
    var device: Device {
        let agent = bytes(of: .userAgent)?.prefix(Self.longestAgent) ?? []
        return Device(
            userAgent: agent.isEmpty ? nil : String(decoding: agent, as: UTF8.self), address: text(of: .address))
    }

    private static let longestAgent = 256
}
