import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import IdentityProviders
import JOSE
import POSIX

/// What the file of an OpenID provider says.
struct OpenIDSettings {
    let name: Provider
    let policy: OpenIDPolicy
    let address: KeySetAddress

    /// - Parameter text: from the command line.
    init(of text: String) throws(CommandError) {
        guard let provider = try readProviders().first(where: { $0.name.lowercaseName == text }) else {
            let advice = text == "apple" ? "gatehouse apple verify" : "gatehouse providers list"
            throw CommandError(.usage, "no provider has the name \(text.printable): \(advice)")
        }
        guard let openID = provider.openID else {
            throw CommandError(
                .usage, "\(text.printable) has no identity tokens: its kind is \(provider.kind.rawValue)")
        }
        (name, policy, address) = (provider.name, openID.policy, openID.keys)
    }

    /// The keys that a login would use.
    ///
    /// - Parameter path: of a file with the key set; nil to fetch it.
    func keys(from path: String?) throws(CommandError) -> JWKSet {
        let (bytes, place) = (try bytes(from: path), path ?? "the answer of \(name.lowercaseName)")
        let (rules, exit) = (KeySetPolicy(for: policy), path == nil ? ExitStatus.failed : .usage)
        let keys: JWKSet
        do { keys = try JWKSet(parsing: bytes, usableFor: rules.algorithms, naming: rules.naming) } catch {
            throw CommandError(exit, "\(place) is not a key set: \(error)")
        }
        guard !keys.isEmpty else { throw CommandError(exit, "\(place) has no usable key", details: keys.skipped) }
        return keys
    }

    private func bytes(from path: String?) throws(CommandError) -> [UInt8] {
        if let path {
            do { return try File.read(path) } catch { throw CommandError(.usage, error.description) }
        }
        do { return try ProviderKeys.source(of: address)() } catch {
            let message = "the keys of \(name.lowercaseName) cannot be fetched: \(error)"
            throw CommandError(.failed, message, details: ["gatehouse check"])
        }
    }
}
