import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("The outcome of the last write")
struct LastWriteOutcomeTests {
    @Test("an operation that writes nothing does not change it, because it also succeeds on a full disk")
    func nothing() throws {
        let database = try TestDatabase()
        let store = try database.store()
        let user = SampleLogin.user(1)
        let login = SampleLogin.login("1", of: user, as: SampleLogin.identity("s"))
        _ = try store.create(user, with: login)
        let moment = try #require(store.lastWrite?.moment)
        #expect(
            try store.refresh(login.session.id, now: SampleLogin.noon) { _, _ in .refuse(.invalidRefreshToken) } != nil)
        #expect(try !store.revoke(SessionID("sess_2"), for: .logout, recording: SampleLogin.event()))
        #expect(store.lastWrite?.moment == moment)
        #expect(try store.revoke(login.session.id, for: .logout, recording: SampleLogin.event()))
        #expect(store.lastWrite?.moment != moment)
    }
}
