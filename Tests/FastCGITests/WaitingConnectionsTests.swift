import POSIX
import Testing

@testable import FastCGI

@Suite struct WaitingConnectionsTests {
    private let connections = WaitingConnections()

    private func put(_ number: Int32, _ waiting: Waiting = .request, until milliseconds: Int64 = 0) {
        connections.put(number, waiting, until: MonotonicTime(milliseconds: milliseconds))
    }

    @Test("a waiting connection goes to one taker")
    func oneTaker() {
        put(7)
        #expect(connections.take(7, where: \.waiting.isIdle) != nil)
        #expect(connections.take(7, where: \.waiting.isIdle) == nil)
        put(7)
        #expect(connections.take(7, where: \.waiting.isIdle) != nil)
    }

    @Test("a number that never waited is not taken", arguments: [0, 6, 8, 9, 100] as [Int32])
    func unknown(_ number: Int32) {
        put(7)
        #expect(connections.take(number, where: { _ in true }) == nil)
    }

    @Test("a connection that waits for something else than is wanted stays")
    func wanted() {
        put(3, .rest)
        #expect(connections.take(3, where: \.waiting.isIdle) == nil)
        #expect(connections.take(3, where: { !$0.waiting.isIdle }) != nil)
    }

    @Test("a connection keeps its deadline, and the number's next connection has its own")
    func deadline() {
        put(3, until: 5)
        #expect(connections.take(3, where: { _ in true })?.deadline == MonotonicTime(milliseconds: 5))
        put(3, until: 9)
        #expect(connections.take(3, where: { _ in true })?.deadline == MonotonicTime(milliseconds: 9))
    }

    @Test("the wanted ones are listed by their deadlines, and stay")
    func numbers() {
        put(2, until: 30)
        put(9, until: 10)
        put(5, .rest, until: 5)
        put(4, until: 20)
        #expect(connections.numbers(where: \.waiting.isIdle) == [9, 4, 2])
        #expect(connections.numbers(where: { !$0.waiting.isIdle }) == [5])
        #expect(
            connections.numbers(where: { $0.deadline <= MonotonicTime(milliseconds: 10) }) == [5, 9])
        #expect(connections.numbers(where: { _ in true }).count == 4)
    }

    /// With a connection taken twice, two threads would own one descriptor.
    @Test("however takers meet, each connection goes to one of them")
    func raced() throws {
        let taken = Monitor<[Int32]>([])
        let connections = connections
        for number in 0..<2000 { put(Int32(number)) }
        let threads = try (0..<4).map { _ in
            try Thread.spawn(name: "taker") {
                for number in Int32(0)..<2000 where connections.take(number, where: { _ in true }) != nil {
                    taken.change { $0.append(number) }
                }
            }
        }
        for thread in threads { thread.join() }
        let all = taken.change { $0 }
        #expect(all.sorted() == Array(0..<2000))
    }

    @Test(
        "another process can go on with a connection of which nothing was taken, and nothing is left to be sent"
    )
    func untouched() throws {
        let answer = try UnsentAnswer(then: .keep)
        let table: [(Waiting, Bool)] = [
            (.request, true), (.rest, true), (.reader(answer), false), (.close, false),
        ]
        for (waiting, isUntouched) in table {
            #expect(waiting.isUntouched == isUntouched, "\(waiting)")
        }
    }

    @Test("each kind of waiting has its own limit")
    func patience() throws {
        var limits = Limits.standard
        (limits.idleFor, limits.incompleteFor) = (.seconds(1), .seconds(2))
        (limits.unreadFor, limits.lingerFor) = (.seconds(3), .seconds(4))
        let kinds: [Waiting] = [.request, .rest, .reader(try UnsentAnswer(then: .keep)), .close]
        #expect(
            kinds.map { $0.patience(limits) } == [.seconds(1), .seconds(2), .seconds(3), .seconds(4)])
    }
}
