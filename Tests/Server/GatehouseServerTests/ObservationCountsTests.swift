import Gatehouse
import Testing

@testable import GatehouseServer

@Suite("Metrics of domain events")
struct ObservationCountsTests {
    private let counts = ObservationCounts()

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

    @Test(
        "What a log shows of an address has neither a query nor a password",
        arguments: [
            ("https://app.example.com/back?code=Xsecret", "https://app.example.com/back"),
            ("http://localhost:5173/#token", "http://localhost:5173/"),
            ("com.example.app:/login", "com.example.app:/login"),
            ("https://ann:Xsecret@app.example.com/", "(not an address)"), ("https://a/\u{1B}[31m", "(not an address)"),
            ("https://a/\n{\"level\":\"error\"}", "(not an address)"),
            (String(repeating: "a", count: 300), "(not an address)"),
        ])
    func plainPart(text: String, shown: String) {
        #expect(RedirectURI.plainPart(of: text) == shown)
    }

    @Test("Refusals are counted by their code, those of alerts from zero")
    func refusals() {
        let counts = RefusalCounts()
        counts.count("phone_required")
        counts.count("invalid_grant")
        var text = Exposition()
        counts.write(to: &text)
        let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                #"gatehouse_refusals_total{code="invalid_grant"} 1"#,
                #"gatehouse_refusals_total{code="invalid_redirect_uri"} 0"#,
                #"gatehouse_refusals_total{code="phone_required"} 1"#,
            ])
    }

    private static let acme = Provider(rawValue: "ACME") ?? .dev

    init() { counts.logins.add([Self.acme, .phone]) }

    private static let logins: [Observation] = [Provider.dev, .apple, .phone, acme].flatMap { provider in
        let refusals = Refusal.ofLogins(by: provider).map { Observation.loginRefused(provider, $0) }
        return [.loggedIn(provider, isNewUser: true), .loggedIn(provider, isNewUser: false)] + refusals
    }

    private static let guests: [Observation] = GuestEvent.allCases.map { .guests($0, count: 1) }

    private static let allEvents: [Observation] =
        logins + guests
        + [
            .identityOfTwoUsers(acme, UserID("u"), UserID("v"))
        ]
        + [
            .refreshed(isRepeat: true), .refreshed(isRepeat: false), .refreshRepeatedElsewhere, .refreshRepeatedOften,
            .sessionRepeatedElsewhere(session: SessionID("s"), user: UserID("u")),
            .refreshTokenReused(session: SessionID("s"), user: UserID("u")), .unknownRoleDemanded("ROOT"),
        ]
        + [
            Refusal.invalidRefreshToken, .refreshTokenExpired, .refreshTokenRevoked, .refreshTokenReused, .userDisabled,
            .invalidProof(.key), .storageUnavailable(StoreFailure("")), .sessionRevoked,
        ].map(Observation.refreshRefused)
        + CodeChannel.allCases.flatMap { channel in
            [.codeSent(channel), .codeUsed(channel)] + CodeScope.allCases.map { .codeRefused(channel, $0) }
                + DeliveryFault.all.map { .messageNotDelivered(channel, $0) }
        } + [.wrongCode] + NumberOutcome.allCases.map { .numberAsked($0) }
        + WebSignInStep.allCases.map { .webSignIn($0) }
        + DPoPFault.allCases.map { .proofRefused($0) }
        + RevokeReason.allCases.map { .sessionsEnded($0, count: 1) }
        + SupportActKind.allCases.map { .administered($0) }
        + [
            .insufficientRole, .ownAccount, .guardedLoginTooOld(limit: .zero),
            .insufficientAuthentication(.twoFactors), .sessionRevoked,
        ].map(Observation.administratorRefused)
        + SecurityEvents.Kind.allCases.map { .securityEventApplied($0) }
        + OutgoingMessage.Notice.allCases.flatMap { notice in
            NoticeOutcome.allCases.map { .ownerNotice(notice, $0) }
        }
        + AppleNotification.Kind.allCases.map { .appleNotificationApplied($0) }
        + AppleTask.Kind.allCases.flatMap { kind in
            [.appleTaskDone(kind)] + AppleServerFault.all.map { .appleTaskFailed(kind, $0, of: UserID("u")) }
        }

    @Test("every series starts at zero")
    func zeros() {
        #expect(numbers.values.allSatisfy { $0 == 0 })
        #expect(numbers[#"gatehouse_logins_total{provider="apple",result="replayed"}"#] == 0)
        #expect(numbers["gatehouse_refresh_token_reuse_total"] == 0)
    }

    /// Two mistakes in nginx's configuration share a series.
    @Test("each event increments one series by one", arguments: allEvents + [.unknownLoginDemanded("10m")])
    func each(event: Observation) {
        let before = numbers
        counts.count(event)
        #expect(numbers.keys.sorted() == before.keys.sorted())
        #expect(numbers.values.reduce(0, +) == 1)
    }

    @Test("every series belongs to an event")
    func complete() {
        for event in Self.allEvents { counts.count(event) }
        #expect(numbers.values.allSatisfy { $0 == 1 })
    }

    @Test("sessions that end together are counted one by one")
    func amounts() {
        counts.count(.sessionsEnded(.logoutEverywhere, count: 3))
        counts.count(.sessionsEnded(.logoutEverywhere, count: 0))
        #expect(numbers[#"gatehouse_sessions_ended_total{reason="logout_all"}"#] == 3)
    }
}
