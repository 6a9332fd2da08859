import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

/// Receivers that misbehave, and servers that are killed, with a ledger of what arrived.
@Suite("Events to receivers that misbehave")
struct ReceiverFaultTests {
    /// What the requests are answered with, in the order of their arrival.
    static let faults = [
        "accept", "fail", "lie", "no_http", "accept", "redirect", "flood", "die", "accept", "busy", "lie", "drop",
        "accept",
        "unavailable", "accept", "unknown", "flood_of_headers", "accept", "hold", "accept", "die", "accept",
    ]

    /// After how many requests the server is killed.
    private func check(_ faulty: EventReceiverProcess, killedAfter kills: [Int]) throws {
        let steady = try EventReceiverProcess()
        let fixture = try EventFixture(["faulty": faulty.settings(), "steady": steady.settings()])
        let pending = Mutex(kills)
        let isComplete = try fixture.run(changing: ["Ada", "Bob", "Chloe", "Dan"]) {
            try faulty.reviveIfDead()
            let count = try faulty.deliveries().count
            let isDue = pending.withLock { pending in
                guard let next = pending.first, count >= next else { return false }
                pending.removeFirst()
                return true
            }
            if isDue { try fixture.nodes[0].killAndRestart() }
        } until: {
            try fixture.hasAll(faulty) && fixture.hasAll(steady)
        }
        #expect(isComplete)
        #expect(pending.withLock { $0.isEmpty })
        try fixture.expectAll(faulty, "faulty")
        try fixture.expectAll(steady, "steady")
        let deliveries = try faulty.deliveries()
        #expect(Set(deliveries.map(\.behaviour)) == Set(Self.faults))
        #expect(Set(deliveries.map(\.id)) == Set(try steady.deliveries().map(\.id)))
        // The last answer arrives before the event is removed.
        #expect(
            try Eventually.holds {
                try ["faulty", "steady"].allSatisfy { try fixture.state(of: $0)["waiting"] == 0 }
            })
        #expect(try fixture.state(of: "faulty")["dead"] == 0)
    }

    @Test(
        "A receiver gets every event, and those of a user in their order, whatever it answers and however the server ends"
    )
    func everything() throws {
        try check(EventReceiverProcess(Self.faults), killedAfter: [12])
    }

    @Test(
        "The library of Standard Webhooks verifies each request",
        .needs(.webhookLibrary),
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: EventReceiverProcess.libraryPython),
            "there is no .build/python/bin/python: deploy/lib/packages test-all makes it"))
    func library() throws {
        try check(EventReceiverProcess(Self.faults, usesLibrary: true), killedAfter: [6, 14, 24])
    }

    @Test("While a receiver holds each request, logins succeed, and another receiver gets its events")
    func isolation() throws {
        let (holding, steady) = (try EventReceiverProcess(["hold"]), try EventReceiverProcess())
        let fixture = try EventFixture(["holding": holding.settings(), "steady": steady.settings()])
        _ = try fixture.users.create("first")
        #expect(try Eventually.holds { try !holding.deliveries().isEmpty })
        for number in 1...20 { #expect(try fixture.nodes[0].devLogin("later-\(number)@example.com").status == 200) }
        #expect(try Eventually.holds { try steady.deliveries().acceptedIDs.count == 21 })
        #expect(try holding.deliveries().acceptedIDs.isEmpty)
        #expect(Set(try steady.deliveries().map(\.id)).count == 21)
    }

    @Test("A receiver gets nothing after 410 until it is resumed, and then what has happened since")
    func gone() throws {
        let receiver = try EventReceiverProcess()
        // After what was seen: an event may be sent twice on a slow machine.
        func answer(_ behaviour: String) throws {
            try behaviour.write(toFile: receiver.folder.file("behaviours"), atomically: true, encoding: .utf8)
        }
        let steady = try EventReceiverProcess()
        let fixture = try EventFixture(["billing": receiver.settings(), "steady": steady.settings()])
        let member = try fixture.users.create("Ada")
        #expect(try Eventually.holds { try fixture.hasAll(receiver) && fixture.state(of: "billing")["waiting"] == 0 })
        try answer("gone")
        try fixture.users.rename(member, to: "1")
        #expect(try Eventually.holds { try fixture.state(of: "billing")["stoppedAt"]?.string != nil })
        let count = try receiver.deliveries().count
        try fixture.nodes[0].killAndRestart()
        try fixture.users.rename(member, to: "2")
        // The server sends again since its second start.
        #expect(try Eventually.holds { try fixture.hasAll(steady) })
        #expect(try fixture.state(of: "billing")["waiting"] == 2)
        #expect(try receiver.deliveries().count == count)
        try answer("accept")
        try fixture.nodes[0].runCommand("events", "resume", "billing")
        #expect(try Eventually.holds { try fixture.hasAll(receiver) })
        try fixture.expectAll(receiver, "billing")
    }

    @Test(
        "A receiver gets the types that it asked for, signed with both secrets, with the user as they are when it is sent"
    )
    func content() throws {
        let other = "whsec_t8VnQe2RyKpD4aHs6UjWc3ZxGf0BmLoi"
        // All attempts fail until the user has a later nickname.
        let receiver = try EventReceiverProcess(["fail"], secret: other)
        let settings = receiver.settings("TYPES=user.created").replacing(
            other, with: EventReceiverProcess.secret + " " + other)
        let fixture = try EventFixture(["billing": settings])
        let member = try fixture.users.create("Ada")
        #expect(try Eventually.holds { try !receiver.deliveries().isEmpty })
        try fixture.users.rename(member, to: "later")
        try "accept".write(toFile: receiver.folder.file("behaviours"), atomically: true, encoding: .utf8)
        #expect(try Eventually.holds { try receiver.deliveries().last?.isAccepted == true })
        let deliveries = try receiver.deliveries()
        #expect(deliveries.allSatisfy { $0.type == "user.created" && $0.isVerified })
        let names = deliveries.map { $0.data["user"]?.object?["nickname"]?.string }
        #expect(names.last == "later" && names.first != "later")
        #expect(deliveries.last?.data["provider"] == "DEV")
        #expect(try Eventually.holds { try fixture.state(of: "billing")["waiting"] == 0 })
    }
}
