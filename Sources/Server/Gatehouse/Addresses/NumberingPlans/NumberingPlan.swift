/// A range of phone numbers under one calling code: all numbers of a country, or those with certain leading digits.
struct NumberingPlan: Sendable {
    /// Nil for numbers that belong to no person in one country: premium, toll-free, shared-cost, personal numbers.
    let country: Country?
    let callingCode: String
    /// How many digits follow the calling code.
    let lengths: ClosedRange<Int>
    /// What those digits begin with. Empty for all numbers of the calling code that no other plan has.
    let leading: [String]

    /// Reads `GG 44 10 1481 7781`: the country (`-` for none), the calling code, the length (`9-10` for a range), and the
    /// leading digits, where `*` stands for those of no other row. Nil for another text.
    init?(row: Substring) {
        let words = row.split(separator: " ").map(String.init)
        guard words.count >= 3, words.dropFirst(3).allSatisfy({ $0 == "*" || $0.utf8.allSatisfy(Self.isDigit) }) else {
            return nil
        }
        let bounds = words[2].split(separator: "-").compactMap { Int($0) }
        guard let shortest = bounds.first, let longest = bounds.last, shortest <= longest else { return nil }
        country = words[0] == "-" ? nil : Country(code: words[0], callingCode: words[1])
        callingCode = words[1]
        lengths = shortest...longest
        leading = words.count == 3 ? [""] : words.dropFirst(3).map { $0 == "*" ? "" : $0 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension NumberingPlan {
    /// The rows of all tables.
    static let rows = [africa, northAmerica, latinAmerica, europe, asia, oceania].flatMap { $0.split(separator: "\n") }

    static let all = rows.compactMap(NumberingPlan.init(row:))

    private static let byCallingCode = Dictionary(grouping: all, by: \.callingCode)

    /// By code. The first row of a country names its calling code.
    static let countries = Dictionary(all.compactMap(\.country).map { ($0.code, $0) }) { first, _ in first }

    static func hasOneLength(_ country: Country) -> Bool {
        all.allSatisfy { $0.country?.code != country.code || $0.lengths.count == 1 }
    }

    /// - Parameter digits: with the calling code.
    static func country(of digits: String) throws(AddressFault) -> Country {
        // No calling code is the beginning of another one.
        guard let plans = (1...3).lazy.compactMap({ byCallingCode[String(digits.prefix($0))] }).first,
            let callingCode = plans.first?.callingCode
        else { throw .noCountry }
        let national = String(digits.dropFirst(callingCode.count))
        guard national.count >= shortest else { throw .wrongLength }
        return try country(ofNational: national, among: plans)
    }

    /// Of the shortest numbers in the tables.
    private static let shortest = 4

    private static func country(ofNational number: String, among plans: [Self]) throws(AddressFault) -> Country {
        let matches = plans.flatMap { plan in plan.leading.map { (digits: $0, plan: plan) } }
            .filter { number.hasPrefix($0.digits) }
        let best = matches.max { $0.digits.count < $1.digits.count }
        guard number.first != "0" || best?.digits.isEmpty == false else { throw .trunkZero }
        guard let plan = best?.plan, let country = plan.country else { throw .noCountry }
        guard plan.lengths.contains(number.count) else { throw .wrongLength }
        guard plan.callingCode != "1" || isNorthAmericanSubscriber(number) else { throw .noCountry }
        return country
    }
}
