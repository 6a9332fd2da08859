import JSON
import Testing

@Suite("JSONSequence")
struct SequenceTests {
    /// The members that are read of each text: two texts and a number.
    private struct Found: Equatable {
        var (hasFirst, second, third) = (false, String?.none, Int64?.none)

        init(_ claims: inout some JSONClaims) {
            hasFirst = claims.has("iss", "us")
            second = claims.string("sub")
            third = claims.integer("n")
        }
    }

    @Test(
        "an object ends at its own brace, whatever its texts contain",
        arguments: ["{}", #"{"a":"}","b":{"c":["{"]}}"#, #"{"a":"\"}\\"}"#, #"{"中":"国"}"#])
    func object(_ text: String) {
        var sequence = JSONSequence(Array(#"{"n":1,"o":\#(text)}"#.utf8))
        #expect(sequence.sortedObject("o") == nil && sequence.integer("n") == 1)
        #expect(sequence.sortedObject("o") == text && sequence.isAtEnd)
        let reader = try? JSONObjectReader(parsing: Array(#"{"o":\#(text),"n":1}"#.utf8))
        #expect(reader?.sortedObject("o") == text)
    }

    @Test("an object without an end is none", arguments: ["{", #"{"a":"}"#, #"{"a":"\"#, "[]", "1", ""])
    func noObject(_ text: String) {
        var sequence = JSONSequence(Array(#"{"o":\#(text)"#.utf8))
        #expect(sequence.sortedObject("o") == nil)
    }

    private static func inSequence(_ text: some Sequence<UInt8>) -> Found? {
        var sequence = JSONSequence(Array(text))
        let found = Found(&sequence)
        return sequence.isAtEnd && found.hasFirst && found.second != nil && found.third != nil ? found : nil
    }

    private static func inAnyOrder(_ text: some Sequence<UInt8>) -> Found? {
        (try? JSONObjectReader(parsing: Array(text))).map {
            var members = $0
            return Found(&members)
        }
    }

    private static func written(_ sub: String, _ number: Int64) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("iss", "us")
            json.member("sub", sub)
            json.member("n", number)
        }
        return json.finish()
    }

    @Test(
        "finds members in the order in which they were written",
        arguments: [("", 0), ("ann", 7), ("a b~", 999_999_999_999_999_999)])
    func written(sub: String, number: Int64) throws {
        let found = try #require(Self.inSequence(Self.written(sub, number)))
        #expect(found.second == sub && found.third == number)
    }

    @Test(
        "finds nothing in any other text",
        arguments: [
            "", "{", "{}", #"{"iss":"us"}"#, #"{"iss":"us","sub":"ann"}"#, #"{"iss":"us","sub":"ann","n":1"#,
            #"{"iss":"us","sub":"ann","n":1}x"#, #"{"iss":"us","sub":"ann","n":1} "#, #"{"iss":"us","sub":"ann","n":}"#,
            #"{"iss":"us","sub":"ann","n":01}"#, #"{"iss":"us","sub":"ann","n":-1}"#,
            #"{"iss":"us","sub":"ann","n":1.5}"#,
            #"{"iss":"us","sub":"ann","n":1e2}"#, #"{"iss":"us","sub":"ann","n":"1"}"#, #"{"iss":"us","sub":1,"n":1}"#,
            #"{"iss":"us","sub":"ann","n":1000000000000000000}"#, #"{"iss":"us","sub":"a\"b","n":1}"#,
            #"{"iss":"us","sub":"é","n":1}"#, "{\"iss\":\"us\",\"sub\":\"a\u{1}\",\"n\":1}",
            "{\"iss\":\"us\",\"sub\":\"a\u{7F}\u{80}\",\"n\":1}", #"{"iss":"them","sub":"ann","n":1}"#,
            #"{"sub":"ann","iss":"us","n":1}"#, #"{"iss":"us","x":1,"sub":"ann","n":1}"#, #"{"iss":"us","sub":"ann"#,
            #"{ "iss":"us","sub":"ann","n":1}"#, #",{"iss":"us","sub":"ann","n":1}"#,
            #"{"iss":"us","sub":"ann","n":1,"x":2}"#,
            #"{"iss":"us""sub":"ann","n":1}"#, #"{"iss:"us","sub":"ann","n":1}"#, #"{"iss""us","sub":"ann","n":1}"#,
        ])
    func others(text: String) {
        #expect(Self.inSequence(text.utf8) == nil)
    }

    @Test("returns no wrong value if any byte is replaced")
    func agreement() {
        let genuine = Self.written("a1", 70)
        for place in genuine.indices {
            for byte in UInt8.min...UInt8.max {
                var text = genuine
                text[place] = byte
                guard let found = Self.inSequence(text) else { continue }
                #expect(found == Self.inAnyOrder(text), "\(byte) at \(place)")
            }
            #expect(Self.inSequence(genuine[..<place]) == nil)
        }
    }

    @Test("`hasText` is true only for strings", arguments: ["x", "", #"\u0041\n"#])
    func unread(text: String) throws {
        let json = Array(#"{"a":7,"b":"\#(text)","c":"y"}"#.utf8)
        let members = try #require(try JSONObjectReader(parsing: json))
        #expect(!members.hasText("a") && members.hasText("b") && members.hasText("c") && !members.hasText("d"))
        var sequence = JSONSequence(json)
        #expect(!sequence.hasText("a") && sequence.integer("a") == 7)
        // Texts with escapes are left to JSONObjectReader.
        guard sequence.hasText("b") else { return #expect(text.contains("\\")) }
        #expect(sequence.hasText("c") && sequence.isAtEnd)
    }

    @Test("`skipTexts` goes past an array of plain texts, and past nothing else")
    func skipped() throws {
        func isPassed(_ list: String) -> Bool {
            var sequence = JSONSequence(Array((#"{"a":7,"list":"# + list + "}").utf8))
            _ = sequence.integer("a")
            sequence.skipTexts("list")
            return sequence.isAtEnd
        }
        for list in [#"["a"]"#, #"["a","b"]"#, #"["","],}",""]"#] { #expect(isPassed(list), "\(list)") }
        for list in [
            "[]", "[", "]", "[1]", #"["a""#, #"["a",]"#, #"["a" "b"]"#, #"[["a"]]"#, #"["a",1]"#, #"["a\""]"#, #""a""#,
            #"["a"]]"#,
            #"["a"],"b":1"#, #"["a"#, #"["a","#,
        ] { #expect(!isPassed(list), "\(list)") }
        var sequence = JSONSequence(Array(#"{"a":7}"#.utf8))
        sequence.skipTexts("list")
        #expect(sequence.integer("a") == 7 && sequence.isAtEnd)
    }
}
