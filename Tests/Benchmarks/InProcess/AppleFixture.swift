import Gatehouse
import GatehouseServer
import IdentityProviders
import JOSE
import JSON
import StandIn

/// The body of an Apple login, and a verifier that has Apple's keys in its cache.
struct AppleFixture {
    let logIn: AppleSignIn
    let loginBody: [UInt8]
    let identityToken: String

    init(folder: String) throws {
        let key = try PublishedKeys(in: folder + "/apple").signing
        let login = Mint(key: key).login(MintOrder(audience: Sample.bundleID), now: Sample.now.seconds)
        loginBody = login.bytes
        identityToken = login["identityToken"]?.string ?? ""
        let set: JSONObject = ["keys": .array([.object(key.publicJWK ?? [:])])]
        let bytes = set.bytes
        let archive = KeySetArchive(NoStorage(), address: .keySet(url: "none"), of: .apple)
        let keys = ProviderKeys(archive: archive, now: Platform.system.now) { bytes }
        logIn = AppleSignIn(
            rules: .apple(audiences: [Sample.bundleID]), keys: keys,
            replayGrace: .seconds(60))
    }
}

private struct NoStorage: KeySetStorage {
    func load(_ name: String) -> Document? { nil }

    func save(_ keySet: Document, as name: String) -> Bool { true }
}
