import JSON
import Testing

@Suite("JSONMembers")
struct MembersTests {
    private static let text = #"{ "sub":"ann", "n": -7 ,"e":"a\"\u00e9","o":{"n":1},"x":null,"f":1.5,"":"" }"#

    @Test("returns the same values as the tree")
    func same() throws {
        let members = try JSONMembers(parsing: Array(Self.text.utf8))
        let tree = try #require(try JSONValue(parsing: Self.text).object)
        for name in tree.names + ["missing", "su", "subj"] {
            #expect(members.string(name) == tree[name]?.string, "\(name)")
            #expect(members.integer(name) == tree[name]?.integer, "\(name)")
        }
        #expect(members.string("sub") == "ann" && members.integer("n") == -7 && members.string("e") == "a\"é")
    }

    @Test("compares texts byte by byte, after unescaping")
    func texts() throws {
        let members = try JSONMembers(parsing: Array(#"{"k":"K","e":"\u00e9","n":1}"#.utf8))
        #expect(members.has("k", "K") && members.has("e", "é"))
        #expect(!members.has("k", "\u{212A}") && !members.has("k", "KK") && !members.has("k", ""))
        #expect(!members.has("e", "e\u{301}") && !members.has("n", "1") && !members.has("missing", ""))
    }

    @Test(
        "rejects what the tree rejects, and names with escapes",
        arguments: [
            "", "[]", "1", "{", "{}x", #"{"a":1"#, #"{"a" 1}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a":"x}"#, #"{"a":"\x"}"#,
            #"{"a":01}"#, #"{"a":1,"a":2}"#, #"{"a":"1","b":2,"a":"3"}"#, #"{"a":{"b":1,"b":2}}"#, "{\"a\":\"\u{1}\"}",
            #"{"\u0061":1}"#, #"{"a":1,"\u0061":2}"#,
        ])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try JSONMembers(parsing: Array(text.utf8)) }
    }

    @Test("rejects texts that are not UTF-8")
    func encoding() {
        #expect(throws: JSONError.self) {
            try JSONMembers(parsing: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        }
    }

    @Test("rejects more members than the limit")
    func limit() throws {
        let text = Array(#"{"a":1,"b":2}"#.utf8)
        #expect(try JSONMembers(parsing: text, atMost: 2).integer("b") == 2)
        #expect(throws: JSONError.self) { try JSONMembers(parsing: text, atMost: 1) }
    }
}
