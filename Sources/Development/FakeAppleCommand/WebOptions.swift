import CommandLineTool
import FakeApple
import FakeProviders
import SignInPages

/// The websites that may use the pages of the stand-ins.
extension Option {
    static let servicesID = Option(
        name: "--services-id", value: "ID=URL",
        help: "a Services ID and an address that its users come back to; may be repeated, also for one ID")
    static let redirectURI = Option(
        name: "--redirect-uri", value: "NAME=URL",
        help: "the same for the website app at wechat, qq or the OpenID provider NAME; may be repeated")
}

extension Arguments {
    func registerWebsites(_ developer: DeveloperAccount, _ providers: FakeProvidersService) throws(CommandError) {
        for (id, address) in try addresses("--services-id") {
            developer.services.register(id, redirectURIs: [address])
        }
        for (name, address) in try addresses("--redirect-uri") {
            do { try providers.register(redirectURI: address, at: name) } catch {
                throw CommandError(.usage, "--redirect-uri \(name): \(error)")
            }
        }
    }

    private func addresses(_ option: String) throws(CommandError) -> [(name: String, address: String)] {
        var result: [(name: String, address: String)] = []
        for pair in all(option) {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, WebClient.isAddress(parts[1]) else {
                throw CommandError(
                    .usage, "\(option) needs a name, = and an address that begins with https:// or http://")
            }
            result.append((parts[0], parts[1]))
        }
        return result
    }
}
