import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The key that encrypts Apple's refresh tokens")
struct AppleDataKeyTests {
    @Test("A missing key is logged as an error, and the revocation waits for the key")
    func missingKey() throws {
        let fixture = try AppleDeveloperFixture()
        let login = try fixture.logInAndAwaitGrant("ann")
        fixture.stop()
        try fixture.server.restart { $0["DATA_KEY"] = AppleDeveloperFixture.key(8) }
        #expect(try fixture.server.deleteAccount(login).status == 204)
        #expect(Eventually.holds { fixture.server.process.log.contains("DATA_KEY cannot decrypt") })
        #expect(fixture.server.process.log.contains(#""level":"error""#))
        #expect(fixture.pendingTasks == 1 && fixture.isAuthorised("ann"))
        fixture.stop()
        try fixture.server.restart()
        #expect(Eventually.holds { !fixture.isAuthorised("ann") && fixture.pendingTasks == 0 })
    }
}
