import CommandLineTool
import StandIn

extension Option {
    static let servicesID = Option(
        name: "--services-id", value: "ID=URL",
        help: "a Services ID and an address that its users come back to; may be repeated, also for one ID")
    static let redirectURI = Option(
        name: "--redirect-uri", value: "NAME=URL",
        help: "the same for the website app at wechat, qq or the OpenID provider NAME; may be repeated")
}

/// The websites that may use the pages of the stand-ins.
struct WebOptions {
    private typealias Website = (name: String, address: String)

    private let services: [Website]
    private let others: [Website]

    init(_ arguments: Arguments) throws(CommandError) {
        services = try Self.websites("--services-id", arguments)
        others = try Self.websites("--redirect-uri", arguments)
    }

    private static func websites(_ option: String, _ arguments: Arguments) throws(CommandError) -> [Website] {
        var result: [Website] = []
        for pair in arguments.all(option) {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, WebClient.isAddress(parts[1]) else {
                throw CommandError(
                    .usage, "\(option) needs a name, = and an address that begins with https:// or http://")
            }
            result.append((parts[0], parts[1]))
        }
        return result
    }

    func register(at standIn: StandIn) throws(CommandError) {
        for (id, address) in services { standIn.apple.developer.services.register(id, redirectURIs: [address]) }
        for (name, address) in others {
            do { try standIn.register(redirectURI: address, at: name) } catch {
                throw CommandError(.usage, "--redirect-uri: \(name) is no name of a provider")
            }
        }
    }
}
