import Gatehouse

extension SettingParser where Value == [CodeRate] {
    /// The rates of one limit.
    ///
    /// - Parameter count: the most that one of them can permit.
    static func rates(atMost count: Int = 1_000_000) -> Self {
        let most = CodeLimits.longestWindow
        return Self(
            "a list such as 1/1m,5/1h,10/1d: how many within which time, at most \(most.setting); 0/1h for none"
        ) {
            text in
            let entries = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            let rates = entries.compactMap { CodeRate(setting: $0, atMost: count) }
            return rates.count == entries.count ? rates : nil
        }
    }
}

extension CodeRate {
    /// Reads `5/1h`.
    fileprivate init?(setting text: String, atMost most: Int) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(digits: parts[0]), count <= most,
            let window = Duration(setting: String(parts[1])), window > .zero, window <= CodeLimits.longestWindow
        else { return nil }
        self.init(count, per: window)
    }
}

extension SettingParser where Value == Set<Country> {
    static var countries: Self {
        Self("a list of countries by their ISO 3166 codes, such as CN,HK") { text in
            let codes = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            let countries = codes.compactMap(Country.init(code:))
            return countries.count == codes.count ? Set(countries) : nil
        }
    }
}

extension SettingParser where Value == Set<NumberKind> {
    static var numberKinds: Self {
        Self("a list of " + NumberKind.allCases.map(\.rawValue).joined(separator: ", ")) { text in
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            let kinds = words.compactMap(NumberKind.init(rawValue:))
            return kinds.count == words.count ? Set(kinds) : nil
        }
    }
}

extension SettingParser where Value == Country {
    /// A country whose national numbers can be read: where their lengths differ, a number of another country looks the same.
    static var countryOfNumbers: Self {
        Self("the ISO 3166 code of a country whose numbers all have one length, such as CN, HK or US") { text in
            Country(code: text).flatMap { $0.hasNumbersOfOneLength ? $0 : nil }
        }
    }
}

extension SettingParser where Value == [CodeAddress: CodePolicy.TestCode] {
    static var testCodes: Self {
        Self("a list such as +8613800138000=424242@2026-12-31, review@example.com=424242@2026-12-31") { text in
            var codes: Value = [:]
            for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let (address, code) = testCode(entry.filter { $0 != " " }) else { return nil }
                codes[address] = code
            }
            return codes
        }
    }

    /// The address may contain the signs that separate the parts, so they are looked for from the end.
    private static func testCode(_ text: String) -> (CodeAddress, CodePolicy.TestCode)? {
        guard let at = text.lastIndex(of: "@"), let equals = text[..<at].lastIndex(of: "=") else { return nil }
        let code = text[text.index(after: equals)..<at]
        guard code.utf8.count == 6, Int(digits: code) != nil, let address = CodeAddress(setting: text[..<equals]),
            let day = Timestamp(written: String(text[text.index(after: at)...])), day.milliseconds % 86_400_000 == 0
        else { return nil }
        // To the end of the day.
        return (address, CodePolicy.TestCode(code: String(code), endsAt: day + .seconds(86_400)))
    }
}

extension CodeAddress {
    fileprivate init?(setting text: some StringProtocol) {
        if let number = try? PhoneNumber(ofAnyKind: String(text)) {
            self.init(.phone, number.text)
        } else if let address = try? EmailAddress(String(text)) {
            self.init(.email, address.text)
        } else {
            return nil
        }
    }
}
