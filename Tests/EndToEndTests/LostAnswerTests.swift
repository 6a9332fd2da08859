import Foundation
import TestSupport
import Testing

@Suite("A refresh whose answer is lost")
struct LostAnswerTests {
    @Test("loses nothing else, a thousand times")
    func everySecond() throws {
        let house = try ServedHouse()
        var answer = try house.devLogin("lossy@example.com")
        for turn in 0..<1000 where answer.status == 200 {
            let call = Call.refresh(answer.refreshToken)
            let unread = try house.connect()
            try unread.send(ServedHouse.bytes(of: call))
            // Half of the retries race with the request that they repeat.
            let comesFirst = turn.isMultiple(of: 2)
            if comesFirst { #expect(unread.hasSomethingToRead()) }
            answer = try house.send(call)
            if !comesFirst { #expect(unread.hasSomethingToRead()) }
        }
        #expect(answer.status == 200)
        #expect(answer.generation == 1001)
    }

    @Test("behind nginx loses nothing else, either")
    func behindNginx() throws {
        let house = try #require(Houses.of(.nginx) as? FrontedHouse)
        var answer = try house.devLogin("lossy-nginx@example.com")
        for _ in 0..<25 where answer.status == 200 {
            let call = Call.refresh(answer.refreshToken)
            // curl hangs up once it has read how long the body is.
            #expect(throws: Shell.Failure.self) { try house.send(call, options: ["--max-filesize", "1"]) }
            answer = try house.send(call)
        }
        #expect(answer.status == 200)
        #expect(answer.generation == 26)
    }

    @Test("because the server was killed gets the same successor from the next one")
    func killed() throws {
        let house = try ServedHouse()
        var answer = try house.devLogin("killed@example.com")
        for turn in 0..<4 {
            let call = Call.refresh(answer.refreshToken)
            // An answer that we know of and the client does not; every other time one that nobody has ever seen.
            let lost = turn.isMultiple(of: 2) ? try house.send(call) : nil
            let unread = try (0..<8).map { _ in try house.connect() }
            for peer in unread { try peer.send(ServedHouse.bytes(of: call)) }
            house.process.signal(SIGKILL)
            #expect(house.process.wait() == 128 + SIGKILL)
            try house.restart()
            answer = try house.send(call)
            #expect(answer.status == 200)
            if let lost { #expect(answer.refreshToken == lost.refreshToken) }
        }
        #expect(answer.generation == 5)
    }
}
