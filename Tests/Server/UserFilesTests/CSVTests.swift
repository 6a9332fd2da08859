import Testing
import UserFiles

@Suite("Comma-separated values")
struct CSVTests {
    private func records(_ text: String, chunk: Int = .max) throws -> [[String]] {
        var reader = CSVReader()
        var (records, rest) = ([[String]](), Array(text.utf8)[...])
        while !rest.isEmpty {
            records += try reader.read(Array(rest.prefix(chunk))).map(\.fields)
            rest = rest.dropFirst(chunk)
        }
        return records + (try reader.finish().map(\.fields))
    }

    @Test(
        "fields, quotes and line ends are read as RFC 4180 has them, wherever a part of the file ends",
        arguments: [
            ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]), ("a,b\nc", [["a", "b"], ["c"]]), ("a,,\n", [["a", "", ""]]),
            ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]), ("\"a\nb\r\nc\",d\n", [["a\nb\r\nc", "d"]]),
            ("\n\na\n", [["a"]]), ("\"\"\n", []), ("\"\",x\n", [["", "x"]]), ("\u{FEFF}a,b", [["a", "b"]]), ("", []),
            ("é,\u{1F600}", [["é", "\u{1F600}"]]),
        ])
    func forms(text: String, expected: [[String]]) throws {
        #expect(try records(text) == expected && records(text, chunk: 1) == expected)
    }

    /// Versions of the Firebase command before 2026 put quotes around a name with a comma, and double none in it.
    @Test("a quote within a field that is not doubled stands for itself")
    func carelessQuotes() throws {
        #expect(try records("1,Bob \"B\" Smith,x\n") == [["1", "Bob \"B\" Smith", "x"]])
        #expect(try records("1,\"Smith, Bob \"B\" Jr\",x\n2\n") == [["1", "Smith, Bob \"B\" Jr", "x"], ["2"]])
    }

    @Test("a record that does not end, is too long or is not UTF-8 is refused with its line")
    func faults() throws {
        #expect(throws: CSVReader.Fault.openQuote(line: 2)) { try records("a\n\"b\nc") }
        #expect(throws: CSVReader.Fault.longRecord(line: 2)) {
            try records("a\n\"" + String(repeating: "x\n", count: CSVReader.longestRecord / 2))
        }
        var reader = CSVReader()
        #expect(throws: CSVReader.Fault.encoding(line: 1)) { try reader.read([0xFF, 0x0A]) }
    }
}
