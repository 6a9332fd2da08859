import Foundation
import GatehouseClient
import JSON
import Testing

@testable import ServerSupport

@Suite("App: attributes of the user, at the server")
struct AppClientAttributesTests {
    @Test("The app sees the attributes that the server lists, with each type of JSON, and keeps them with the session")
    func listed() async throws {
        let local = try LocalServer(settings: ["TOKEN_ATTRIBUTES": "plan,limits"])
        let app = try AppClientFixture(local.server)
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let user = try await client.user()
        #expect(user.attributes == [:])
        let limits: JSONObject = [
            "seats": 5, "ratio": 0.5, "trial": true, "until": nil, "tags": ["a", 2],
        ]
        let all: JSONObject = ["plan": "pro", "limits": .object(limits), "secret": "not shown"]
        #expect(try local.send(.setAttributes(all, of: user.id)).status == 200)
        let shown: [String: AttributeValue] = [
            "plan": .string("pro"),
            "limits": .object([
                "seats": .integer(5), "ratio": .number(0.5), "trial": .boolean(true), "until": .null,
                "tags": .list([.string("a"), .integer(2)]),
            ]),
        ]
        #expect(try await client.user().attributes == shown)
        guard case .signedIn(let restored) = try await app.client(store).restore() else { return #expect(Bool(false)) }
        #expect(restored.user.attributes == shown && restored.user.attributes?["plan"]?.text == "pro")
    }
}
