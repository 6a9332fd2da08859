import JSON
import Testing

/// Edge cases of the grammar, similar to the published parser test suites.
@Suite("Parsing")
struct ParsingTests {
    @Test(
        "a valid text is parsed into its value",
        arguments: [
            ("null", nil), (" \t\r\n true \n", true), ("false", false), ("0", 0), ("-0", 0), ("42", 42), ("-17", -17),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("-9223372036854775809", .number(-9_223_372_036_854_775_808)),
            ("123456789012345678901234567890", .number(0x18EE90FF6C373Ep44)), ("1.0", 1.0), ("-0.0", -0.0),
            ("1.5e3", 1500.0), ("2E+2", 200.0), ("25e-1", 2.5), ("0e0", 0.0), ("1e-400", 0.0), (#""""#, ""),
            (#""a/b""#, "a/b"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\uD83D\uDE00!""#, "😀!"), (#""a\u0000b""#, "a\0b"),
            ("\"\u{7F}\u{80}\u{FFFF}\u{10FFFF}\u{2028}\"", "\u{7F}\u{80}\u{FFFF}\u{10FFFF}\u{2028}"), ("[]", []),
            ("[ ]", []), ("[1,[2,[]], \"x\" ]", [1, [2, []], "x"]), ("{}", [:]), ("{ }", [:]),
            (#"{"a":1,"b":{"c":[null]}}"#, ["a": 1, "b": ["c": [nil]]]),
            (#" { "a" : 1 , "A" : 2 } "#, ["a": 1, "A": 2]), (#"{"":0}"#, ["": 0]),
        ] as [(String, JSONValue)]
    )
    func accepts(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(
        "an invalid text is rejected with the offset of the error",
        arguments: [
            ("", 0), ("   ", 3), ("nul", 3), ("nulL", 3), ("True", 0), ("undefined", 0), ("NaN", 0), ("-Infinity", 1),
            ("'a'", 0), ("a", 0), ("1 2", 2), ("null x", 5), ("[]]", 2), ("{}{}", 2), ("\u{FEFF}1", 0), ("\u{A0}1", 0),
            ("// 1", 0), ("/**/1", 0), ("\u{0}", 0), ("1\u{0}", 1), ("\u{B}1", 0), ("01", 0), ("-01", 1), ("00", 0),
            ("-", 1), ("+1", 0), (".5", 0), ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("1ex", 2), ("0x10", 1),
            ("1_000", 1), ("--1", 1), ("1.2.3", 3), ("1e5.2", 3), ("１", 0), ("\"", 1), ("\"abc", 4), ("\"a\nb\"", 2),
            ("\"a\tb\"", 2), ("\"\u{0}\"", 1), ("\"\u{1F}\"", 1), (#""\x""#, 2), (#""\a""#, 2), (#""\'""#, 2),
            (#""\"#, 2), (#""\u12""#, 5), (#""\u12G4""#, 5), (#""\U0041""#, 2), (#""\u+123""#, 3), ("\"\\\u{0}\"", 2),
            ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1,,2]", 3), ("[1}", 2),
            ("]", 0), ("{", 1), (#"{"a""#, 4), (#"{"a":"#, 5), (#"{"a":1"#, 6), (#"{"a":1,}"#, 7), ("{,}", 1),
            ("{1:2}", 1), ("{a:1}", 1), (#"{"a" 1}"#, 5), (#"{"a"::1}"#, 5), (#"{"a":1 "b":2}"#, 7), (#"{"a":1]"#, 6),
            ("{null:1}", 1), (#"{"a"}"#, 4), (#"{"a",1}"#, 4), ("}", 0),
        ])
    func refuses(text: String, offset: Int) {
        #expect(throws: JSONError.syntax(offset: offset)) { try JSONValue(parsing: text) }
    }

    @Test(
        "a number beyond the range of Double is rejected", arguments: ["1e309", "-1e309", "1e99999", "-1.8e308"])
    func refusesOverflow(text: String) {
        #expect(throws: JSONError.range(offset: 0)) { try JSONValue(parsing: text) }
    }

    @Test(
        "bytes that are not UTF-8 are rejected",
        arguments: [
            [0x80], [0xFF], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF],  // overlong
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],  // surrogates
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],  // beyond U+10FFFF
        ] as [[UInt8]])
    func refusesBrokenUTF8(bytes: [UInt8]) {
        let quoted = [0x22] + bytes + [0x22]
        #expect(throws: JSONError.encoding(offset: 1)) { try JSONValue(parsing: quoted) }
        #expect(throws: JSONError.encoding(offset: 0)) { try JSONValue(parsing: bytes) }
    }

    @Test(
        "an escape for half of a surrogate pair is rejected",
        arguments: [
            #""\uD800""#, #""\uDBFFx""#, #""\uDC00""#, #""\uDC00\uD800""#, #""\uD800\uD800""#, #""\uD800\n""#,
            #""\uD800\u0041""#,
        ])
    func refusesLoneSurrogate(text: String) {
        #expect(throws: JSONError.encoding(offset: 1)) { try JSONValue(parsing: text) }
    }

    @Test("32 levels are accepted and the 33rd is rejected", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func limitsDepth(open: String, close: String) throws {
        func nested(_ levels: Int) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(32)) }
        #expect(throws: JSONError.depth(offset: 32 * open.utf8.count)) { try JSONValue(parsing: nested(33)) }
        #expect(throws: JSONError.depth(offset: 32 * open.utf8.count)) {
            try JSONValue(parsing: String(repeating: open, count: 1_000_000))
        }
    }

    @Test("only nested levels count towards the limit")
    func depthIsNotWidth() throws {
        let text = "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]"
        #expect(try JSONValue(parsing: text).array?.count == 100)
    }

    @Test("the end of a string and invalid bytes are found at every position", arguments: 0..<40)
    func longStrings(place: Int) throws {
        let (before, after) = (String(repeating: "é", count: place % 7), String(repeating: "a", count: place))
        #expect(try JSONValue(parsing: "\"\(before)\(after)\"").string == before + after)
        #expect(try JSONValue(parsing: "[\"\(after)\",1]").array == [.string(after), 1])
        #expect(try JSONValue(parsing: "\"\(after)\\n\(before)\(after)\"").string == "\(after)\n\(before)\(after)")
        for control in ["\0", "\n", "\u{1F}"] {
            #expect(throws: JSONError.syntax(offset: place + 1)) {
                try JSONValue(parsing: "\"\(after)\(control)\(after)\"")
            }
        }
        #expect(throws: JSONError.syntax(offset: place + 1)) { try JSONValue(parsing: "\"\(after)") }
    }
}
