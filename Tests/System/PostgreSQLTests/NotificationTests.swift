import POSIX
import PostgreSQL
import SQL
import TestSupport
import Testing

@Suite("PostgreSQL: notifications")
struct NotificationTests {
    @Test("A notification of another connection arrives, once for all that were sent", arguments: ["news", "a \"b\""])
    func arrives(channel: String) throws {
        let fixture = try Fixture()
        let (listener, sender) = (try fixture.connect(), try fixture.connect())
        try listener.listen(to: channel)
        #expect(try !listener.waitForNotifications(until: .now))
        try sender.begin()
        try sender.send("SELECT pg_notify(?, 'a'), pg_notify(?1, 'b')", .text(channel))
        try sender.commit()
        #expect(try listener.waitForNotifications(until: .now + .seconds(60)))
        #expect(try !listener.waitForNotifications(until: .now))
        #expect(try listener.integer("SELECT 5") == 5)
    }

    @Test("A notification that arrives with the answer to a statement is not lost")
    func withAnswer() throws {
        let connection = try Fixture().connect()
        try connection.listen(to: "news")
        try connection.run("SELECT pg_notify('news', '')")
        #expect(try connection.waitForNotifications(until: .now + .seconds(60)))
    }
}
