import NumberTable

/// The numbers of persons under one calling code.
struct NumberingPlan: Sendable {
    let callingCode: String
    /// Those that share the calling code. The main one is the first.
    let countries: [Country]
    /// The state of the automaton before the first digit.
    fileprivate let start: Int

    /// Reads `44 1434 GB10 GG10`. Nil for another text.
    init?(row: Substring) {
        let words = row.split(separator: " ")
        guard words.count >= 3, Int(words[0]) != nil, let start = Int(words[1]) else { return nil }
        let callingCode = String(words[0])
        (self.callingCode, self.start) = (callingCode, start)
        countries = words.dropFirst(2).map { word in
            Country(code: String(word.prefix(2)), callingCode: callingCode, numberLength: Int(word.dropFirst(2)))
        }
    }
}

extension NumberingPlan {
    /// The parts of `numbers.txt`, between empty lines: a comment, the rows, and the states.
    private static let parts = (0..<gatehouse_numbers_size()).map(gatehouse_numbers_byte)
        .split(separator: Array("\n\n".utf8)).map { String(decoding: $0, as: UTF8.self) }

    /// A row for each calling code.
    static var callingCodes: String { parts[1] }

    fileprivate static var states: String { parts[2] }

    static let all = callingCodes.split(separator: "\n").compactMap(NumberingPlan.init(row:))

    private static let byCallingCode = Dictionary(uniqueKeysWithValues: all.map { ($0.callingCode, $0) })

    static let countries = Dictionary(uniqueKeysWithValues: all.flatMap(\.countries).map { ($0.code, $0) })

    /// - Parameter digits: with the calling code.
    static func plan(of digits: String) throws(AddressFault) -> NumberingPlan {
        // No calling code is the beginning of another one.
        guard let plan = (1...3).lazy.compactMap({ byCallingCode[String(digits.prefix($0))] }).first else {
            throw .noCountry
        }
        return plan
    }

    /// Of the shortest numbers in the table.
    private static let shortest = 4

    /// The country and the kind of a number.
    ///
    /// - Parameter digits: with the calling code.
    func entry(of digits: String) throws(AddressFault) -> (country: Country, kind: NumberKind) {
        guard digits.utf8.count >= callingCode.utf8.count + Self.shortest else { throw .wrongLength }
        let automaton = NumberAutomaton.shared
        var (state, isBeyondNumber) = (start, false)
        for (place, byte) in digits.utf8.dropFirst(callingCode.utf8.count).enumerated() {
            isBeyondNumber = isBeyondNumber || automaton.labels[state] != 0
            state = Int(automaton.targets[state * 10 + Int(byte & 0xF)])
            if state != 0 { continue }
            throw place == 0 && byte == UInt8(ascii: "0") ? .trunkZero : isBeyondNumber ? .wrongLength : .noCountry
        }
        let label = Int(automaton.labels[state]) - 1
        guard label >= 0 else { throw .wrongLength }
        return (countries[label / 3], NumberKind.allCases[label % 3])
    }
}

/// The automaton of the table: a number is one if its digits lead to a state with a label.
struct NumberAutomaton: Sendable {
    static let shared = NumberAutomaton(NumberingPlan.states)

    /// The ten targets of each state, by the digit. From state 0 no number goes on.
    private(set) var targets = [UInt16](repeating: 0, count: 10)
    /// Of each state: 0, or the place of a country among those of the calling code, times three, plus the kind, plus one.
    private(set) var labels: [UInt8] = [0]

    init(_ text: String) {
        var symbols = NumberSymbols(rest: text.utf8[...])
        while let head = symbols.next() {
            labels.append(head & 1 == 0 ? 0 : UInt8(symbols.number(2) + 1))
            let row = targets.count
            targets += repeatElement(0, count: 10)
            for _ in 0..<head / 2 {
                let edge = symbols.number(4)
                for digit in 0..<10 where edge >> (14 + digit) & 1 == 1 { targets[row + digit] = UInt16(edge & 0x3FFF) }
            }
        }
    }
}

/// Reads numbers of six bits, as the base64 of URLs has them.
private struct NumberSymbols {
    var rest: Substring.UTF8View

    mutating func next() -> Int? {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): return Int(byte - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): return Int(byte - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): return Int(byte - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "-"): return 62
            case UInt8(ascii: "_"): return 63
            // A line end.
            default: continue
            }
        }
        return nil
    }

    mutating func number(_ count: Int) -> Int {
        (0..<count).reduce(0) { number, _ in number << 6 | (next() ?? 0) }
    }
}
