import Testing

@testable import IdentityProviders

@Suite("Lenient answers")
struct LenientAnswerTests {
    private func read(_ text: String) -> LenientAnswer? { LenientAnswer(Array(text.utf8)) }

    @Test(
        "JSON, JSONP and forms are the same answer",
        arguments: [
            #"{"a":"1","b":"x y"}"#, #"{"a":1,"b":"x y"}"#, "\u{FEFF} {\"a\":\"1\",\n\"b\":\"x y\"}\r\n",
            #"callback( {"a":"1","b":"x y"} );"# + "\n", #"callback({"a":"1","b":"x y"})"#,
            "\n callback  (\t{\"a\":\"1\",\"b\":\"x y\"}\t)\n;\n", #"window.cb$_1({"a":"1","b":"x y"});"#,
            "a=1&b=x%20y", "a=1&b=x+y\n", "b=x%20%79&a=%31", #"{"a":"1","b":"x y",}"#,
            #"callback( {"a":"1","b":"x y" , } );"#,
        ])
    func formats(text: String) throws {
        let answer = try #require(read(text))
        #expect(answer.text("a") == "1")
        #expect(answer.number("a") == 1)
        #expect(answer.text("b") == "x y")
        #expect(answer.number("b") == nil)
        #expect(!answer.has("c"))
        #expect(answer.text("c") == nil)
    }

    @Test(
        "half an answer, and any other text, is none",
        arguments: [
            "", " ", "\n", "ok", "null", "7", "[]", #""a""#, "<html>a=1</html>", "{", #"{"a":1"#, #"{"a":1,,}"#,
            #"{"a":1}{"a":1}"#, #"{"a":1} x"#, #"{"a":1,"a":1}"#, "callback(", "callback()", "callback([]);",
            #"callback( {"a":1"#, #"callback( {"a":")""#, #"callback( {"a":1} "#, #"callback( {"a":1,"a":2} );"#,
            #"( {"a":1} );"#, "a", "a&b=1", "=1", "a=1&a=1", "a=1&", "a=%", "a=%4", "a=%zz", "a b=1", "a=1& b=1",
        ])
    func unreadable(text: String) {
        #expect(read(text) == nil)
    }

    @Test("a piece of JSON in which a user has chosen the text does not pass for a form")
    func injectedForm() {
        #expect(read(#"{"nickname":"&openid=victim"#) == nil)
        #expect(read(#""nickname":"&openid=victim"#) == nil)
        #expect(read(#"callback( {"nickname":"x&openid=victim"#) == nil)
        #expect(read(#"{"nickname":") callback( {\"openid\":\"victim\"} )"}"#)?.has("openid") == false)
    }

    @Test("an answer is read up to 64 KiB")
    func largest() {
        let frame = #"{"a":""}"#
        let fitting = String(repeating: "x", count: 65_536 - frame.utf8.count)
        #expect(read(#"{"a":"\#(fitting)"}"#)?.text("a") == fitting)
        #expect(read(#"{"a":"\#(fitting)x"}"#) == nil)
    }

    @Test("raw control characters in a string are spaces, and bytes that are no UTF-8 are replaced")
    func disturbed() {
        #expect(read("{\"a\":\"x\u{0}\u{1}\n\u{1F}y\"}")?.text("a") == "x    y")
        // Three of the four bytes of a character, and a byte that is in none.
        let invalid = Array(#"{"a":"x"#.utf8) + [0xF0, 0x9F, 0x98] + Array("y".utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(LenientAnswer(invalid)?.text("a") == "x\u{FFFD}y\u{FFFD}")
    }

    @Test("numbers may be strings, and whole numbers are text; other values are neither")
    func values() throws {
        let answer = try #require(
            read(
                #"{"n":-1,"s":"40029","f":1.5,"t":true,"z":null,"a":[1],"o":{},"e":"","big":"99999999999999999999"}"#))
        #expect(answer.number("n") == -1)
        #expect(answer.text("n") == "-1")
        #expect(answer.number("s") == 40029)
        for name in ["f", "t", "z", "a", "o", "e", "big"] { #expect(answer.number(name) == nil, "\(name)") }
        for name in ["f", "t", "z", "a", "o"] { #expect(answer.text(name) == nil, "\(name)") }
        #expect(!answer.has("z"))
        #expect(answer.has("e"))
    }

    @Test(
        "an error number that cannot be read is not success",
        arguments: ["\"\"", "\"x\"", "1.5", "true", "[]", "{}"])
    func unreadableError(value: String) throws {
        let answer = try #require(read(#"{"errcode":\#(value),"openid":"x"}"#))
        #expect(throws: CallFault.unreadable("/path")) { try answer.errorNumber("errcode", at: "/path") }
    }

    @Test("no error number, null and zero are success", arguments: ["{}", #"{"e":null}"#, #"{"e":0}"#, #"{"e":"0"}"#])
    func noError(text: String) throws {
        #expect(try #require(read(text)).errorNumber("e", at: "/path") == nil)
    }

    @Test(
        "an id has 1 to 128 visible ASCII characters",
        arguments: [
            ("o6_bmjrPTlm6_2sgVt7hMZOPfL2M", true), (String(repeating: "x", count: 128), true), ("~!", true),
            (String(repeating: "x", count: 129), false), ("", false), ("a b", false), ("é", false), ("a\\u0000", false),
            ("a\\n", false), ("\\u007f", false), ("a\u{1}", false),
        ])
    func ids(text: String, isValid: Bool) throws {
        let answer = try #require(read(#"{"id":"\#(text)"}"#))
        #expect((answer.id("id") != nil) == isValid)
    }
}
