import DevelopmentHTTP
import JOSE
import JSON
import Testing

@testable import StandIn

@Suite("The stand-in and pages of other origins")
struct ForeignPageTests {
    private let standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private static let foreignFields: [[String: String]] = [
        ["origin": "https://evil.example"], ["origin": "http://localhost:8443"], ["origin": "null"], ["origin": ""],
        ["origin": "https://localhost:8444"], ["origin": "http://localhost:8444.evil.example"],
        ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"], ["sec-fetch-site": ""],
        ["sec-fetch-site": "cross-site", "origin": "http://localhost:8444"],
    ]

    private static let ownFields: [[String: String]] = [
        [:], ["origin": "http://localhost:8444"], ["origin": "http://LOCALHOST:8444"],
        ["sec-fetch-site": "same-origin"], ["sec-fetch-site": "same-origin", "origin": "http://localhost:8444"],
    ]

    private static let orders =
        [
            "GET /mint", "POST /mint", "POST /notify", "GET /faults", "POST /faults", "DELETE /faults", "GET /requests",
            "DELETE /requests", "GET /authorisations",
            "POST /openid/example/mint", "GET /openid/example/mint", "POST /openid/google/events/mint",
            "POST /openid/example/keys/faults",
            "GET /openid/example/keys/faults", "DELETE /openid/example/keys/faults", "GET /openid/example/requests",
            "DELETE /openid/example/requests", "POST /wechat/mint", "POST /wechat/app", "POST /wechat/faults",
            "GET /wechat/faults", "DELETE /wechat/faults", "GET /wechat/requests", "DELETE /wechat/requests",
            "POST /qq/mint", "POST /qq/app", "POST /qq/faults", "GET /qq/faults", "DELETE /qq/faults",
            "GET /qq/requests",
            "DELETE /qq/requests", "POST /sms/settings", "POST /sms/faults", "GET /sms/faults", "DELETE /sms/faults",
            "GET /sms/requests", "DELETE /sms/requests", "POST /mail/settings", "POST /mail/faults", "GET /mail/faults",
            "DELETE /mail/faults", "GET /mail/requests", "DELETE /mail/requests", "GET /inbox", "DELETE /inbox",
        ] + keyOrders
    /// Each generates keys, which takes long.
    private static let keyOrders = [
        "POST /keys/rotate", "POST /keys/turnover", "POST /openid/example/keys/rotate",
        "POST /openid/example/keys/turnover",
    ]

    /// A body that is valid for each endpoint which takes one.
    private static func body(for order: String) -> String {
        switch order {
        case "POST /notify": #"{"type":"account-deleted","sub":"ann"}"#
        case "POST /faults": #"{"fault":"hang"}"#
        case "POST /openid/google/events/mint": #"{"type":"verification"}"#
        default: "{}"
        }
    }

    private func status(_ order: String, _ fields: [String: String]) throws -> String {
        let words = order.split(separator: " ").map(String.init)
        let all = fields.merging(["host": "localhost:8444"]) { _, host in host }
        return try #require(standIn.reply(words[0], words[1], Self.body(for: order), fields: all)).status
    }

    @Test("a page of another origin controls nothing and reads nothing")
    func foreign() throws {
        _ = standIn.reply("GET", "/auth/keys")
        let key = standIn.apple.keys.signing.keyID
        for fields in Self.foreignFields {
            for order in Self.orders + ["GET /inbox?wait=1"] {
                #expect(try status(order, fields) == "403 Forbidden", "\(order) \(fields)")
            }
        }
        #expect(standIn.reply("GET", "/faults")?.body == Array(#"{"faults":[]}"#.utf8))
        #expect(standIn.apple.requests.count == 1)
        #expect(standIn.apple.keys.signing.keyID == key)
    }

    @Test("curl, an app, and a page of the same origin are answered", arguments: ownFields)
    func own(fields: [String: String]) throws {
        for order in Self.orders where !Self.keyOrders.contains(order) {
            #expect(try status(order, fields) == "200 OK", "\(order)")
        }
    }

    @Test("an address that the user has typed is answered, and no other method")
    func typed() throws {
        for order in Self.orders {
            let expected = order.hasPrefix("GET ") ? "200 OK" : "403 Forbidden"
            #expect(try status(order, ["sec-fetch-site": "none"]) == expected, "\(order)")
        }
    }

    @Test("a party's own endpoints do not depend on the page", arguments: foreignFields)
    func endpoints(fields: [String: String]) throws {
        for path in ["/auth/keys", "/openid/example/keys", "/wechat/sns/auth", "/qq/oauth2.0/me"] {
            #expect(try status("GET " + path, fields) == "200 OK")
        }
    }
}
