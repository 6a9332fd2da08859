import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Attributes with several nodes")
struct NodeAttributesTests {
    @Test("A change at one node counts at the other one, and a new token is accepted by both")
    func otherNode() throws {
        let nodes = try TwoNodes { variables in
            ServiceServers.configure(&variables)
            variables["TOKEN_ATTRIBUTES"] = "plan"
        }
        try nodes.dropNotifications()
        var pair = try nodes.first.devLogin("nodes@example.com")
        let user = pair.userID
        for number in 0..<4 {
            let (here, there) = (nodes[number], nodes[number + 1])
            #expect(try here.send(.setAttributes(["plan": .integer(Int64(number))], of: user)).status == 200)
            #expect(try here.verify(pair.accessToken).code == "session_revoked")
            let start = ContinuousClock.now
            #expect(Eventually.holds { (try? there.verify(pair.accessToken).code) == "session_revoked" })
            #expect(start.duration(to: .now) < .seconds(3))
            pair = try there.refresh(pair.refreshToken)
            for node in [here, there] {
                #expect(try node.verify(pair.accessToken).header("x-user-attribute-plan") == "\(number)")
            }
        }
    }
}
