import POSIX
import Testing

@testable import FastCGI

extension SocketTests {
    @Suite struct ConnectionTests {
        @Test("a parked connection goes to one thread")
        func oneHolder() {
            let connection = Connection()
            connection.occupy(.init(takingOwnership: -1))
            #expect(!connection.claim())
            #expect(connection.park())
            #expect(connection.isParked)
            #expect(connection.notify())
            #expect(!connection.notify())
            #expect(!connection.claim())
        }

        @Test("news that come while a thread holds the connection keep it from letting go")
        func recall() {
            let connection = Connection()
            connection.occupy(.init(takingOwnership: -1))
            #expect(!connection.notify())
            #expect(!connection.notify())
            #expect(!connection.park())
            #expect(connection.park())
        }

        @Test("news of a connection that is gone reach nobody")
        func lateNews() {
            let connection = Connection()
            #expect(!connection.notify())
            connection.occupy(.init(takingOwnership: -1))
            connection.vacate()
            #expect(!connection.notify())
            #expect(!connection.isParked)
        }

        @Test("a place that is left keeps nothing for the next connection")
        func vacate() {
            let connection = Connection()
            connection.occupy(.init(takingOwnership: -1))
            connection.outgoing = [1]
            connection.unread = [2]
            connection.intake = Intake(limits: .standard)
            connection.mayHaveMore = true
            connection.interest = .newlyWritable
            connection.beginLingering(until: .now)
            connection.vacate()
            connection.occupy(.init(takingOwnership: -1))
            #expect(connection.outgoing.isEmpty && connection.unread.isEmpty && connection.intake == nil)
            #expect(!connection.mayHaveMore && !connection.isLingering)
            #expect(connection.interest == nil && connection.deadline == nil && connection.incompleteUntil == nil)
        }

        @Test("a table admits as many as its limit, and again when one has gone")
        func limit() throws {
            let table = ConnectionTable(limit: 2)
            let first = try #require(table.admit(try .streamSocket(family: 1)))
            #expect(table.admit(try .streamSocket(family: 1)) != nil)
            #expect(table.admit(try .streamSocket(family: 1)) == nil)
            #expect(table.count == 2)
            table.dismiss(first)
            #expect(table.admit(try .streamSocket(family: 1)) != nil)
        }
    }
}
