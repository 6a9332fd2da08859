import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("How the last write ended")
struct LastWriteTests {
    @Test("is not said by what writes nothing, as it goes well on a full disk")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.file("gatehouse.db"))
        let user = SampleLogin.user(1)
        let login = SampleLogin.login("1", of: user, as: SampleLogin.identity("s"))
        _ = try store.create(user, with: login)
        let moment = try #require(store.lastWrite?.moment)
        #expect(try store.change(login.session.id, now: SampleLogin.noon) { _, _ in nil } != nil)
        #expect(try !store.revoke(SessionID("sess_2"), for: .logout, noting: SampleLogin.event()))
        #expect(store.lastWrite?.moment == moment)
        #expect(try store.revoke(login.session.id, for: .logout, noting: SampleLogin.event()))
        #expect(store.lastWrite?.moment != moment)
    }
}
