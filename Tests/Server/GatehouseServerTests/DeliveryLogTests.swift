import CodeDelivery
import Gatehouse
import JSON
import POSIX
import Testing

@testable import GatehouseServer

@Suite("The log of messages")
struct DeliveryLogTests {
    private let lines = Monitor<[String]>([])
    private let throttle = LogThrottle(every: .seconds(60))

    private func write(_ fault: DeliveryFault?, _ channel: CodeChannel = .phone) {
        let log = Log(level: .debug) { [lines] line in lines.change { $0.append(line) } }
        DeliveryReport(channel: channel, fault: fault).write(to: log, throttle: throttle, requestID: "request-1")
    }

    private func written() throws -> [JSONObject] {
        try lines.change { $0 }.map { try #require(try JSONValue(parsing: $0).object) }
    }

    @Test("A refused signature or password is an error, and every other fault a warning", arguments: DeliveryFault.all)
    func levels(fault: DeliveryFault) throws {
        write(fault, .email)
        let line = try #require(try written().first)
        #expect(line["event"] == "delivery")
        #expect(line["channel"] == "email")
        #expect(line["id"] == "request-1")
        #expect(line["level"]?.string == (fault.label == "misconfigured" ? "error" : "warning"))
    }

    @Test("A message that was accepted is not logged")
    func accepted() throws {
        write(nil)
        #expect(try written().isEmpty)
    }

    @Test("Equal faults of one channel are one line")
    func throttled() throws {
        for _ in 0..<3 {
            write(.unavailable("the gateway answers status 500"))
            write(.unavailable("the gateway answers status 503"))
            write(.unavailable("the gateway answers status 500"), .email)
        }
        #expect(try written().count == 3)
    }
}
