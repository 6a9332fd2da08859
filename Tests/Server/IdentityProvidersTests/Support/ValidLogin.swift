import Gatehouse
import JOSE
import JSON
import StandIn

/// A valid login with Apple, and the keys of the tests. Each test changes one thing about it.
enum ValidLogin {
    static let seconds: Int64 = 1_760_000_000
    static let now = Timestamp(seconds: seconds)
    static let audience = "com.example.app"
    static let subject = "001234.0123456789abcdef0123456789abcdef.0930"

    // swift-format-ignore: NeverUseForceTry
    static let key = try! SigningKey.generate(.RS256, keyID: "KEY0000001")
    // swift-format-ignore: NeverUseForceTry
    static let secondKey = try! SigningKey.generate(.RS256, keyID: "KEY0000002")
    /// Has the key id of Apple's key.
    // swift-format-ignore: NeverUseForceTry
    static let attackersKey = try! SigningKey.generate(.RS256, keyID: "KEY0000001")

    static let keySet = bytes(ofSetWith: [key, secondKey])

    static func bytes(ofSetWith keys: [SigningKey]) -> [UInt8] {
        let set: JSONObject = ["keys": .array(keys.compactMap { $0.publicJWK.map(JSONValue.object) })]
        return set.bytes
    }

    static let login: JSONObject = {
        var order = MintOrder(audience: audience)
        order.subject = subject
        return Mint(key: key).login(order, now: seconds)
    }()

    static let token = login["identityToken"]?.string ?? ""
    static let code = login["authorizationCode"]?.string ?? ""

    // swift-format-ignore: NeverUseForceTry
    private static let parsed = try! CompactJWS(token)
    static let header = parsed.header
    // swift-format-ignore: NeverUseForceTry
    static let claims = try! parsed.claims()
}
