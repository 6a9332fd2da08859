import JSON
import Testing

@Suite("JSONObjectReader")
struct ObjectReaderTests {
    private static func reader(_ text: String) throws -> JSONObjectReader {
        try #require(try JSONObjectReader(parsing: Array(text.utf8)))
    }

    private static let many = "{" + (0..<100).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"

    @Test(
        "returns the same values as the tree",
        arguments: [
            "{}",
            #" { "s":"x", "e":"a\"\u00e9" , "n":-7,"w":7.0,"f":1.5,"t":true,"z":null,"a":["x"],"o":{"a":{"b":1}} } "#,
            #"{"\u0061":"x","b":"y"}"#, many,
        ])
    func same(text: String) throws {
        let reader = try Self.reader(text)
        let tree = try #require(try JSONValue(parsing: text).object)
        for name in tree.names + ["missing", ""] {
            #expect(reader[name] == tree[name], "\(name)")
            #expect(reader.string(name) == tree[name]?.string, "\(name)")
            #expect(reader.integer(name) == tree[name]?.integer, "\(name)")
            #expect(tree[name]?.string.map { reader.has(name, $0) } != false, "\(name)")
            #expect(!reader.has(name, "something else"), "\(name)")
        }
        #expect(reader.object == tree && reader.object.names == tree.names)
        #expect(JSONObjectReader(tree).object == tree)
    }

    @Test(
        "rejects what the tree rejects, with the same error",
        arguments: [
            "", "{", "{}x", #"{"a":1"#, #"{"a":1,}"#, #"{"a":"\x"}"#, #"{"a":01}"#, #"{"a":1,"a":2}"#,
            #"{"a":1,"\u0061":2}"#, #"{"a":{"b":1,"b":2}}"#, "{\"a\":\"\u{1}\"}",
            String(many.dropLast()) + #","m0":0}"#, String(repeating: "{\"a\":", count: 40),
            "{\"a\":" + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}",
        ])
    func refused(text: String) throws {
        let reason = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(throws: reason) { try JSONObjectReader(parsing: Array(text.utf8)) }
    }

    @Test("compares texts byte by byte, after unescaping")
    func texts() throws {
        let reader = try Self.reader(#"{"k":"K","e":"\u00e9","n":1}"#)
        #expect(reader.has("k", "K") && reader.has("e", "é"))
        #expect(!reader.has("k", "\u{212A}") && !reader.has("k", "KK") && !reader.has("k", ""))
        #expect(!reader.has("e", "e\u{301}") && !reader.has("n", "1") && !reader.has("missing", ""))
    }

    @Test("rejects texts that are not UTF-8")
    func encoding() {
        #expect(throws: JSONError.encoding(offset: 6)) {
            try JSONObjectReader(parsing: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        }
    }

    @Test("is nil for any other value", arguments: ["[]", "1", "\"x\"", "null", " true "])
    func others(text: String) throws {
        let reader = try JSONObjectReader(parsing: Array(text.utf8))
        #expect(reader == nil)
    }
}
