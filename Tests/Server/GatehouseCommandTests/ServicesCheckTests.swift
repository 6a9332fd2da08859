import Gatehouse
import Testing

@testable import GatehouseCommand

@Suite("gatehouse check: services")
struct ServicesCheckTests {
    @Test("it counts tokens and users, and names them")
    func counts() {
        let tokens = ["shop", "shop", "knowledge-base"].map { ServiceToken(service: $0, hash: [1]) }
        let access = ServiceAccess(tokens: tokens, users: [33: "www-data"])
        #expect(
            ServicesCheck(access: access).run() == [.ok("3 tokens (knowledge-base, shop), 1 user (www-data)")])
        #expect(
            ServicesCheck(access: ServiceAccess(tokens: [tokens[0]])).run() == [.ok("1 token (shop), 0 users")])
    }

    @Test("without settings it says who may ask, and without readable ones that it does not know")
    func none() {
        #expect(
            ServicesCheck(access: ServiceAccess()).run()
                == [.ok("only root may ask about users and access tokens: SERVICE_TOKENS is not set")])
        #expect(ServicesCheck(access: nil).run().map(\.grade) == [.note])
    }
}
