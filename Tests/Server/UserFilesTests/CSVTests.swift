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

    @Test(
        "what RFC 4180 does not allow is refused with its line, wherever a part of the file ends",
        arguments: [
            ("a\n1,Bob \"B\" Smith,x\n", .strayQuote(line: 2)), ("\"Smith, Bob \"B\" Jr\",x\n", .strayQuote(line: 1)),
            ("\"x\" ,y\n", .strayQuote(line: 1)), (" \"x\",y\n", .strayQuote(line: 1)),
            ("\"x\"\"\"y\n", .strayQuote(line: 1)), ("x\"\n", .strayQuote(line: 1)),
            ("a\rb,c\n", .strayReturn(line: 1)), ("a,\rb\n", .strayReturn(line: 1)),
            ("a\n\"b\"\rc\n", .strayReturn(line: 2)),
            ("a\r\r\n", .strayReturn(line: 1)), ("a,b\r", .strayReturn(line: 1)), ("\r\"a\n", .strayReturn(line: 1)),
            ("a\n\"b\nc", .openQuote(line: 2)), ("a\n\"b\"\"", .openQuote(line: 2)),
        ] as [(String, CSVReader.Fault)])
    func lenient(text: String, fault: CSVReader.Fault) {
        #expect(throws: fault) { try records(text) }
        #expect(throws: fault) { try records(text, chunk: 1) }
    }

    @Test("a row has one field for each column of the first line, and these have different names")
    func rows() throws {
        func rows(_ text: String) throws -> [String] {
            var (reader, table) = (CSVReader(), CSVTable(requiring: ["id"]))
            return try reader.read(Array(text.utf8)).compactMap { try table.row($0)?["b"] }
        }
        #expect(try rows("id,b\n1,x\n\n2,\"y\nz\"\n") == ["x", "y\nz"])
        for text in ["id,b\n1,x\n2,y,z\n", "id,b\n1,x\n2\n", "id,b\n1,x\n2,y,\n"] {
            #expect(throws: CSVTable.Fault.length(line: 3)) { try rows(text) }
        }
        #expect(throws: CSVTable.Fault.repeatedColumn) { try rows("id,b,ID\n1,x,2\n") }
    }

    @Test("a record that is too long or is not UTF-8 is refused with its line")
    func faults() throws {
        #expect(throws: CSVReader.Fault.longRecord(line: 2)) {
            try records("a\n\"" + String(repeating: "x\n", count: CSVReader.longestRecord / 2))
        }
        var reader = CSVReader()
        #expect(throws: CSVReader.Fault.encoding(line: 1)) { try reader.read([0xFF, 0x0A]) }
    }
}
