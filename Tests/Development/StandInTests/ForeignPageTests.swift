import DevelopmentHTTP
import JOSE
import JSON
import Testing

@testable import StandIn

@Suite("The fake Apple and pages of other origins")
struct ForeignPageTests {
    private let apple: FakeAppleFixture

    init() throws {
        apple = try FakeAppleFixture()
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
        ] + keyOrders
    /// Each generates keys, which takes long.
    private static let keyOrders = ["POST /keys/rotate", "POST /keys/turnover"]

    /// A body that is valid for each endpoint which takes one.
    private static func body(for order: String) -> String {
        switch order {
        case "POST /notify": #"{"type":"account-deleted","sub":"ann"}"#
        case "POST /faults": #"{"fault":"hang"}"#
        default: "{}"
        }
    }

    private func status(_ order: String, _ fields: [String: String]) throws -> String {
        let words = order.split(separator: " ").map(String.init)
        let all = fields.merging(["host": "localhost:8444"]) { _, host in host }
        return try #require(apple.reply(words[0], words[1], Self.body(for: order), fields: all)).status
    }

    @Test("a page of another origin controls nothing and reads nothing")
    func foreign() throws {
        _ = apple.reply("GET", "/auth/keys")
        let key = apple.service.keys.signing.keyID
        for fields in Self.foreignFields {
            for order in Self.orders {
                #expect(try status(order, fields) == "403 Forbidden", "\(order) \(fields)")
            }
        }
        #expect(apple.reply("GET", "/faults")?.body == Array(#"{"faults":[]}"#.utf8))
        #expect(apple.service.requests.count == 1)
        #expect(apple.service.keys.signing.keyID == key)
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

    @Test("Apple's own endpoints do not depend on the page", arguments: foreignFields)
    func endpoints(fields: [String: String]) throws {
        #expect(try status("GET /auth/keys", fields) == "200 OK")
    }
}
