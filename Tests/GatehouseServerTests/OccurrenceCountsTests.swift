import Gatehouse
import Testing

@testable import GatehouseServer

@Suite("The counts of what the domain tells")
struct OccurrenceCountsTests {
    private let counts = OccurrenceCounts()

    private var numbers: [String: Int] {
        var text = Exposition()
        counts.write(to: &text)
        let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let space = line.lastIndex(of: " ") ?? line.endIndex
                return (String(line[..<space]), Int(line[space...].dropFirst()) ?? -1)
            })
    }

    private static let every: [Occurrence] =
        Provider.allCases.flatMap { provider in
            [.signedIn(provider, isNewUser: true), .signedIn(provider, isNewUser: false)]
                + Refusal.ofLogins(by: provider).map { Occurrence.loginRefused(provider, $0) }
        }
        + [
            .refreshed(again: true), .refreshed(again: false), .refreshRepeatedElsewhere,
            .refreshTokenReused(session: SessionID("s"), user: UserID("u")), .unknownRoleDemanded("ROOT"),
        ]
        + [
            Refusal.invalidRefreshToken, .refreshTokenExpired, .refreshTokenRevoked, .refreshTokenReused, .userDisabled,
            .storageUnavailable, .sessionRevoked,
        ].map(Occurrence.refreshRefused)
        + RevokeReason.allCases.map { .sessionsEnded($0, count: 1) }
        + AppleNotification.Kind.allCases.map { .appleNotified($0) }
        + AppleTask.Kind.allCases.flatMap { kind in
            [.appleTaskDone(kind)] + AppleServerFault.all.map { .appleTaskFailed(kind, $0, of: UserID("u")) }
        }

    @Test("stand there with none, one line for each thing that can be told")
    func zeros() {
        #expect(numbers.values.allSatisfy { $0 == 0 })
        #expect(numbers[#"gatehouse_logins_total{provider="apple",result="replayed"}"#] == 0)
        #expect(numbers["gatehouse_refresh_token_reuse_total"] == 0)
    }

    @Test("grow by one, and by one line, with each thing that is told", arguments: every)
    func each(occurrence: Occurrence) {
        let before = numbers
        counts.count(occurrence)
        #expect(numbers.keys.sorted() == before.keys.sorted())
        #expect(numbers.values.reduce(0, +) == 1)
    }

    @Test("know all lines beforehand")
    func complete() {
        for occurrence in Self.every { counts.count(occurrence) }
        #expect(numbers.values.allSatisfy { $0 == 1 })
    }

    @Test("add up sessions that ended together")
    func amounts() {
        counts.count(.sessionsEnded(.logoutEverywhere, count: 3))
        counts.count(.sessionsEnded(.logoutEverywhere, count: 0))
        #expect(numbers[#"gatehouse_sessions_ended_total{reason="logout_all"}"#] == 3)
    }
}
