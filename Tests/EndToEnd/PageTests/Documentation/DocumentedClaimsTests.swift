import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The table of claims in AccessTokens.md.
@Suite("Claims in the documentation")
struct DocumentedClaimsTests {
    /// The names in the first column of the tables.
    private func documentedNames() throws -> Set<String> {
        let lines = try DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/AccessTokens.md").lines
        let cells = lines.filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "|").first }
        return Set(cells.flatMap { $0.matches(of: /`([a-z_]+)`/).map { String($0.output.1) } })
    }

    @Test("Each member of an access token's header and claims is documented, and no other")
    func complete() throws {
        let login = try SharedServers.publishingKeys(.handler).devLogin("claims@example.com")
        let token = try CompactJWS(login.accessToken)
        let names = try documentedNames()
        let bound = try CompactJWS(BoundClient(at: InProcessServer(), "claims@example.com").tokens.accessToken)
        let withoutPhone = try CodeFixture { $0["PHONE_BINDING"] = "required" }.server.devLogin("claims@example.com")
        let claims = [bound, try CompactJWS(withoutPhone.accessToken)].flatMap { (try? $0.claims().names) ?? [] }
        #expect(names == Set(try token.header.names + token.claims().names + claims))
        #expect(try token.claims()["cnf"] == nil)
        #expect(try token.claims()["auth_time"] != nil)
    }
}
