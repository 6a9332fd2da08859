import Testing
import Text

@Suite("Encodings of text")
struct EncodingTests {
    @Test("The classes of ASCII have its characters and no other byte")
    func classes() {
        func members(_ isMember: (UInt8) -> Bool) -> String {
            String(decoding: (UInt8.min...UInt8.max).filter(isMember), as: UTF8.self)
        }
        let (lower, upper, digits) = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789")
        #expect(members(\.isDigit) == digits && members(\.isLowercaseLetter) == lower)
        #expect(members(\.isLetter) == upper + lower && members(\.isAlphanumeric) == digits + upper + lower)
        #expect(members(\.isUnreserved) == "-." + digits + upper + "_" + lower + "~")
        #expect(members { $0.hexadecimalDigit != nil } == digits + "ABCDEFabcdef")
        #expect("09afAF".utf8.map(\.hexadecimalDigit) == [0, 9, 10, 15, 10, 15])
    }

    @Test(
        "Numbers are digits without a sign", arguments: [("0", 0), ("255", 255), ("256", nil), ("+4", nil), ("", nil)])
    func numbers(text: String, number: UInt8?) {
        #expect(UInt8(digits: text) == number)
    }

    @Test("Hexadecimal text is lower case, and is read in either")
    func hexadecimal() {
        #expect(Hexadecimal.text([0, 0x1F, 0xAB]) == "001fab")
        #expect(Hexadecimal.bytes(Array("001FaB".utf8)) == [0, 0x1F, 0xAB])
        #expect(Hexadecimal.bytes(Array("0".utf8)) == nil && Hexadecimal.bytes(Array("0g".utf8)) == nil)
    }

    @Test("A form escapes all that is not unreserved")
    func encode() {
        #expect(FormEncoding.encode([("a b", "1+1&ü~"), ("c", "")]) == "a%20b=1%2B1%26%C3%BC~&c=")
    }

    @Test(
        "A value of a form is decoded, and an incomplete escape stays",
        arguments: [
            ("a+b%2Bc", "a b+c", true), ("%e4%BD%A0", "你", true), ("100%", "100%", false), ("%4", "%4", false),
            ("%zz+%41", "%zz A", false), ("%%41", "%A", false), ("", "", true),
        ])
    func decode(text: String, decoded: String, isValid: Bool) {
        let result = FormEncoding.decode(Array(text.utf8)[...])
        #expect(result.text == decoded && result.isValid == isValid)
    }

    @Test("HTML has what begins a tag, an entity or ends an attribute escaped")
    func html() {
        #expect(HTML.escape("<a href='x'>\"&\"</a>") == "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;")
    }
}
