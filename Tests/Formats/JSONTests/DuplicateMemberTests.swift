import JSON
import Testing

@Suite("Duplicate members")
struct DuplicateMemberTests {
    @Test(
        "a duplicate name is rejected, also if it is escaped differently",
        arguments: [
            (#"{"a":1,"a":1}"#, "a"), (#"{"a":1,"b":2,"a":3}"#, "a"), (#"{"alg":1,"\u0061lg":2}"#, "alg"),
            (#"{"":1,"":2}"#, ""), (#"{"x":{"y":1,"y":2}}"#, "y"), (#"[{"k":1,"k":2}]"#, "k"),
            (#"{"\uD83D\uDE00":1,"😀":2}"#, "😀"),
        ])
    func refuses(text: String, name: String) {
        #expect(throws: JSONError.duplicateMember(name)) { try JSONValue(parsing: text) }
    }

    @Test(
        "names that look the same or are canonically equivalent are different names",
        arguments: [
            "{\"Kid\":1,\"\u{212A}id\":2}",  // the Kelvin sign, which is canonically equivalent to K
            "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"a\":1,\"A\":2}", "{\"a\":1,\"a \":2}",
        ])
    func accepts(text: String) throws {
        let object = try #require(try JSONValue(parsing: text).object)
        #expect(object.count == 2)
        #expect(object[object.names[0]] == 1)
        #expect(object[object.names[1]] == 2)
    }

    @Test("a duplicate among many members is rejected", arguments: [15, 16, 17, 5_000])
    func findsDuplicateAmongMany(count: Int) throws {
        let members = (0..<count).map { "\"m\($0)\":\($0)" }
        let object = try #require(try JSONValue(parsing: "{" + members.joined(separator: ",") + "}").object)
        #expect(object.count == count)
        for name in ["m0", "m\(count - 1)"] {
            let text = "{" + (members + ["\"\(name)\":0"]).joined(separator: ",") + "}"
            #expect(throws: JSONError.duplicateMember(name)) { try JSONValue(parsing: text) }
        }
    }
}
