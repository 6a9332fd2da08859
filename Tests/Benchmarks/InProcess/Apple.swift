import AppleID
import FakeApple
import Gatehouse
import GatehouseServer
import JOSE
import JSON

/// Apple's side of a login, and ours with Apple's keys at hand.
struct Apple {
    let signIn: AppleSignIn
    let loginBody: [UInt8]
    let identityToken: String

    init(folder: String) throws {
        let key = try PublishedKeys(in: folder + "/apple").signing
        let login = Mint(key: key).login(MintOrder(audience: Sample.bundleID), now: Sample.now.seconds)
        loginBody = login.bytes
        identityToken = login["identityToken"]?.string ?? ""
        let set: JSONObject = ["keys": .array([.object(key.publicJWK ?? [:])])]
        let bytes = set.bytes
        let archive = KeySetArchive(try Sample.store(in: folder), address: "none")
        let keys = AppleKeys(archive: archive, now: World.real.now) { bytes }
        signIn = AppleSignIn(
            verifier: IdentityTokenVerifier(policy: IdentityTokenPolicy(audiences: [Sample.bundleID])), keys: keys)
    }
}
