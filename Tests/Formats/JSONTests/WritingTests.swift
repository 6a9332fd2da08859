import JSON
import Testing

@Suite("Writing")
struct WritingTests {
    @Test(
        "only characters that RFC 8259 requires are escaped",
        arguments: [
            ("", #""""#), ("plain/é😀\u{2028}\u{7F}", "\"plain/é😀\u{2028}\u{7F}\""), (#"say "hi""#, #""say \"hi\"""#),
            (#"C:\"#, #""C:\\""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\0\u{1}\u{B}\u{F}\u{10}\u{1B}\u{1F}", #""\u0000\u0001\u000b\u000f\u0010\u001b\u001f""#),
            (String(repeating: "é", count: 40) + "\n", "\"" + String(repeating: "é", count: 40) + #"\n""#),
        ])
    func escapes(text: String, json: String) throws {
        #expect(JSONValue.string(text).description == json)
        #expect(try JSONValue(parsing: json) == .string(text))
        var writer = JSONWriter()
        writer.object { object in
            object.member(text, text)
            object.member("2" + text, text)
        }
        let written = String(decoding: writer.finish(), as: UTF8.self)
        #expect(written == "{\(json):\(json),\"2\(json.dropFirst()):\(json)}")
    }

    @Test("a character is escaped at every position and length")
    func alone() throws {
        for code in UInt8.min..<0x80 {
            let text = String(UnicodeScalar(code))
            let json = JSONValue.string(text).bytes
            #expect((json.count > 3) == (code < 0x20 || text == "\"" || text == "\\"), "\(code)")
            #expect(try JSONValue(parsing: json) == .string(text), "\(code)")
            for position in 0..<80 {
                let long = String(repeating: "x", count: position) + text + String(repeating: "x", count: 79 - position)
                let written = JSONValue.string(long).description
                #expect(written.utf8.count == 79 + json.count, "\(code) at \(position)")
                #expect(try JSONValue(parsing: written) == .string(long), "\(code) at \(position)")
            }
        }
    }

    @Test(
        "a written value is parsed into the same value",
        arguments: [
            nil, true, false, 0, -1, .integer(.min), .integer(.max), 0.1, -0.0, 1e300, .number(.leastNonzeroMagnitude),
            1e16, 123456.75, "x\0y", [], [:], [nil, [[]], ["a": ["b": [1, 2.5, "c"]]]],
        ] as [JSONValue])
    func roundTrip(value: JSONValue) throws {
        #expect(try JSONValue(parsing: value.bytes) == value)
    }

    @Test("infinities and NaN are written as null", arguments: [Double.nan, .infinity, -.infinity])
    func nonFinite(value: Double) {
        #expect(JSONValue.number(value).description == "null")
    }

    @Test(
        "thousandths have three decimal places",
        arguments: [
            (0, "0.000"), (7, "0.007"), (1000, "1.000"), (-1, "-0.001"), (1_234_567, "1234.567"), (-10_010, "-10.010"),
        ])
    func thousandths(number: Int, text: String) {
        var writer = JSONWriter()
        writer.object { $0.member("x", thousandths: number) }
        #expect(String(decoding: writer.finish(), as: UTF8.self) == "{\"x\":\(text)}")
    }

    @Test("a text longer than the reserved capacity is written completely", arguments: [0, 1, 2, 8, 16, 17, 300])
    func growth(reserved: Int) {
        let long = String(repeating: "0123456789", count: 40)
        var writer = JSONWriter(reserving: reserved)
        writer.object { json in
            json.member("a", long)
            json.member("b", long + "\n")
            json.member("c", utf8: Array("d\"".utf8).span)
        }
        let expected = #"{"a":"\#(long)","b":"\#(long)\n","c":"d\""}"#
        #expect(String(decoding: writer.finish(), as: UTF8.self) == expected)
    }

    @Test("an object writer writes every type of member")
    func streamedObject() {
        let missing: String? = nil
        let present: String? = "p"
        var writer = JSONWriter(reserving: 16)
        writer.object { json in
            json.member("string", "s")
            json.member("missing", missing)
            json.member("present", present)
            json.member("bool", true)
            json.member("int", 5)
            json.member("int64", Int64.min)
            json.member("value", JSONValue.array([1, nil]))
            json.member("object") { $0.member("inner", false) }
            json.member("empty", object: { _ in })
            json.member(
                "array",
                array: {
                    $0.object { $0.member("x", 1) }
                    $0.object { _ in }
                })
        }
        let expected = """
            {"string":"s","missing":null,"present":"p","bool":true,"int":5,"int64":-9223372036854775808,\
            "value":[1,null],"object":{"inner":false},"empty":{},"array":[{"x":1},{}]}
            """
        #expect(String(decoding: writer.finish(), as: UTF8.self) == expected)
    }
}
