import Gatehouse
import Testing

@Suite("Sessions that have ended")
struct RevokedSessionsTests {
    private let noon = Timestamp(seconds: 43_200)

    @Test("are known from the moment they end")
    func known() {
        let revoked = RevokedSessions(lifetime: .seconds(900))
        #expect(!revoked.contains(SessionID("a")))
        revoked.insert(SessionID("a"), revokedAt: noon)
        #expect(revoked.contains(SessionID("a")))
        #expect(!revoked.contains(SessionID("A")))
    }

    @Test("are remembered for as long as an access token of theirs can live, however many end after them")
    func remembered() {
        let revoked = RevokedSessions(lifetime: .seconds(900))
        for second in 0...900 {
            for number in 0..<4 {
                revoked.insert(SessionID("\(second)-\(number)"), revokedAt: noon + .seconds(second))
            }
        }
        #expect((0...900).allSatisfy { revoked.contains(SessionID("\($0)-3")) })
    }

    @Test("are forgotten afterwards, so that memory holds no more than twice what is needed")
    func forgotten() {
        let revoked = RevokedSessions(lifetime: .seconds(10))
        for second in 0..<10_000 { revoked.insert(SessionID("\(second)"), revokedAt: noon + .seconds(second)) }
        let kept = (0..<10_000).filter { revoked.contains(SessionID("\($0)")) }
        #expect(kept.count <= 256 + 11)
        #expect(kept.suffix(11).elementsEqual(9_989...9_999))
    }
}
