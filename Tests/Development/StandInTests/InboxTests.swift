import DevelopmentHTTP
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("The inbox")
struct InboxTests {
    private let messages: MessagesFixture

    init() throws {
        messages = try MessagesFixture()
    }

    private func send(_ count: Int, to number: String = MessagesFixture.number) throws {
        let first = messages.inbox.lastNumber
        for index in 0..<count {
            let body = messages.body { $0["to"] = .string(number) }
            #expect(try messages.post(body, id: "msg_\(first)_\(index)").statusCode == 202)
        }
    }

    private func numbers(_ query: String = "") throws -> [Int64] {
        let json = try messages.providers.json("/inbox" + query)
        return json["messages"]?.array?.compactMap { $0.object?["number"]?.integer } ?? []
    }

    @Test("lists the messages, the newest first, with what a person and a program need")
    func list() throws {
        try send(2)
        #expect(try numbers() == [2, 1])
        let json = try messages.providers.json("/inbox")
        #expect(json["last"] == 2)
        #expect(
            json["messages"]?.array?.last?.object == [
                "number": 1, "channel": "phone", "to": .string(MessagesFixture.number), "text": "验证码 042137",
                "time": .integer(messages.providers.now), "code": "042137", "language": "zh",
            ])
    }

    @Test("selects by address, also with a plus sign that is not escaped, and by number")
    func selection() throws {
        try send(2)
        try send(2, to: "+447911123456")
        #expect(try numbers("?to=%2B447911123456") == [4, 3])
        #expect(try numbers("?to=+447911123456&after=3") == [4])
        #expect(try numbers("?to=unknown").isEmpty)
        #expect(try numbers("?after=4").isEmpty)
    }

    @Test("refuses a number that is none", arguments: ["after=x", "after=-1", "wait=61", "wait=x"])
    func malformed(query: String) throws {
        #expect(try messages.providers.get("/inbox?\(query)").statusCode == 400)
    }

    @Test("keeps the last hundred messages")
    func capacity() throws {
        try send(101)
        #expect(try numbers().count == 100)
        #expect(try numbers().last == 2)
    }

    @Test("clearing does not begin the numbers anew")
    func clearing() throws {
        try send(3)
        _ = try messages.providers.service.control("/inbox", method: "DELETE")
        #expect(try numbers().isEmpty && messages.providers.json("/inbox")["last"] == 3)
        try send(1)
        #expect(try numbers() == [4])
    }

    @Test("a request that waits is answered by the first message, and at its end by none")
    func waiting() throws {
        guard case .waiting(_, let next) = messages.providers.action("GET", "/inbox?wait=60") else {
            Issue.record("the request does not wait")
            return
        }
        if case .some = next() { Issue.record("there is an answer without a message") }
        try send(1)
        guard case .reply(let reply, _) = next() else {
            Issue.record("no answer")
            return
        }
        #expect(try JSONValue(parsing: reply.body).object?["last"] == 1)
    }
}
