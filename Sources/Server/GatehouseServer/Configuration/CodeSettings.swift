import CodeDelivery
import Gatehouse
import Text

/// Phone numbers, and how many codes may be sent.
package struct CodeSettings: Sendable {
    let phoneCountries = Setting(
        "PHONE_COUNTRIES", .countries, "Countries whose numbers get codes.",
        details: "No other number gets one, because attackers earn with messages to some countries.")
    let phoneKinds = Setting(
        "PHONE_KINDS", .numberKinds, default: "mobile", "Kinds of numbers that get codes.",
        details: """
            A number that may be a landline as well counts as `mobile`. Premium, shared-cost, toll-free, personal, pager and \
            company numbers and those that cannot exist get none: attackers earn with messages there. A number that an account \
            has gets codes in any case.
            """)
    let phoneDefaultCountry = Setting(
        "PHONE_DEFAULT_COUNTRY", .countryOfNumbers,
        "Country of numbers that are written without `+` and a calling code.",
        details: "If it is not set, such a number is refused, and so is one that begins with 0.")
    let phoneBinding = Setting(
        "PHONE_BINDING", .oneOf(PhonePolicy.Binding.self), default: "off",
        "Whether each user has to have a phone number.",
        details: """
            With `required`, the guard and most of the API answer 403 `phone_required` to a user without one, until it is \
            [bound](API.md#phone-binding).
            """)
    let phoneStaleAfter = Setting(
        "PHONE_STALE_AFTER", .durationOrZero(atMost: .day * 3650), default: "0",
        "Time without a login or refresh after which a phone number alone does not sign in.",
        details: """
            The number may belong to another person by then. The user signs in by another account; a user who has none \
            signs in, and is told by mail. `0` is no limit.
            """)
    let perAddress = Setting(
        "CODES_PER_ADDRESS", .rates(atMost: 1000), default: "1/1m,2/3m,3/10m,5/1h,10/1d",
        "Most codes to one number or mail address.",
        details: """
            Where a rate of more than an hour is used up, the address gets one code an hour: an attacker keeps its owner out \
            for an hour at most. A network from which the address was proven within 30 days has these limits for itself. `+tag` \
            in a mail address makes no other address.
            """)
    let perAddressAndNetwork = Setting(
        "CODES_PER_ADDRESS_AND_NETWORK", .rates(atMost: 1000), default: "3/1h,6/1d",
        "Most codes to one address that one network can ask for.",
        details: "A network is 24 bits of an IPv4 address, and 48 of an IPv6 address.")
    let perClient = Setting(
        "CODES_PER_CLIENT", .rates(), default: "30/1h,100/1d", "Most codes that one client address can ask for.",
        details: "Many phones of a mobile network share one.")
    let perNetwork = Setting(
        "CODES_PER_NETWORK", .rates(), default: "100/1h,500/1d", "Most codes that one network can ask for.")
    let perPrefix = Setting(
        "CODES_PER_PREFIX", .rates(), default: "20/1h",
        "Most codes to numbers that differ in the last four digits only.")
    let perPrefixAndNetwork = Setting(
        "CODES_PER_PREFIX_AND_NETWORK", .rates(), default: "5/1h",
        "Most codes to such numbers that one network can ask for.")
    let perCountry = Setting(
        "CODES_PER_COUNTRY", .rates(), default: "500/1h,3000/1d", "Most codes to the numbers of one country.")
    let perChannel = Setting(
        "CODES_PER_CHANNEL", .rates(), default: "1000/1h,10000/1d", "Most codes by SMS, and most codes by mail.",
        details: """
            It limits what an attack can cost. A fifth is left for networks from which the address was proven within 30 days.
            """)
    let leastUsed = Setting(
        "CODES_LEAST_USED", .number(0...100), default: "10",
        "Percentage of the codes to a prefix or a country that have to be used.",
        details: """
            If fewer of the last hour's codes were used, of 20 for a prefix and of 100 for a country, for which at least 3 and \
            10 networks have asked, networks that are not known get no more of them for now.
            """)
    let testCodes = Setting(
        "TEST_CODES", .testCodes, "Fixed codes for addresses to which nothing is sent, each with its last day.",
        details: """
            For the review of the app in the App Store. A person who knows one can sign in as its user, who must not have a role. \
            A code needs four different digits and no sequence, and a last day within a year.
            """)
}

extension SettingReader<Settings> {
    var codePolicy: CodePolicy {
        CodePolicy(
            limits: CodeLimits(
                perAddress: self[\.codes.perAddress], perAddressAndNetwork: self[\.codes.perAddressAndNetwork],
                perClient: self[\.codes.perClient], perNetwork: self[\.codes.perNetwork],
                perPrefix: self[\.codes.perPrefix], perPrefixAndNetwork: self[\.codes.perPrefixAndNetwork],
                perCountry: self[\.codes.perCountry],
                perChannel: self[\.codes.perChannel], leastUse: self[\.codes.leastUsed]),
            countries: self[\.codes.phoneCountries] ?? [], kinds: self[\.codes.phoneKinds],
            defaultCountry: self[\.codes.phoneDefaultCountry],
            testCodes: self[\.codes.testCodes] ?? [:])
    }

    /// In production, a person who knows a test code can sign in as its user.
    mutating func warnOfTestCodes(now: Timestamp = .ofThisMachine) {
        for code in (self[\.codes.testCodes] ?? [:]).values.sorted(by: { $0.endsAt < $1.endsAt }) {
            let lastDay = (code.endsAt - .seconds(1)).description.prefix(10)
            warn(
                code.endsAt <= now
                    ? "\(Settings.table.codes.testCodes.name) has a code that ended on \(lastDay): remove it"
                    : "\(Settings.table.codes.testCodes.name) has a code that is accepted until \(lastDay): remove it after the review"
            )
        }
    }
}

// MARK: - Forms of values

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
            text.list { CodeRate(setting: $0, atMost: count) }
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
            text.list(Country.init(code:)).map(Set.init)
        }
    }
}

extension SettingParser where Value == Set<NumberKind> {
    static var numberKinds: Self {
        Self("a list of " + NumberKind.allCases.map(\.rawValue).joined(separator: ", ")) { text in
            text.list(NumberKind.init(rawValue:)).map(Set.init)
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
        let format = "a list such as +8613800138000=<six random digits>@2026-12-31, with the last day of each code"
        return Self(format) { text, faults in
            var codes: Value = [:]
            for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let (address, code) = testCode(entry.filter { $0 != " " }) else {
                    faults.append("must be \(format)")
                    return nil
                }
                if let fault = code.fault(now: .ofThisMachine), !faults.contains(fault) { faults.append(fault) }
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

extension CodePolicy.TestCode {
    private static let longest = Duration.seconds(366 * 86_400)
    /// A clock that starts in 1970 stops no server.
    private static let earliest = Timestamp(seconds: 1_767_225_600)

    /// Why the test code is refused: whoever guesses a test code signs in. An expired test code signs in nobody, and is no fault.
    fileprivate func fault(now: Timestamp) -> String? {
        if endsAt <= now { return nil }
        if now >= Self.earliest, endsAt > now + Self.longest {
            return "has a code whose last day is more than a year ahead: choose one soon after the review"
        }
        let digits = Array(code.utf8)
        let steps = zip(digits.dropFirst(), digits).map { $0 &- $1 }
        let hasSequence = steps.indices.dropFirst(2).contains { Set(steps[$0 - 2...$0]).count == 1 }
        guard hasSequence || Set(digits).count < 4 else { return nil }
        return "has a code that is easy to guess: it needs four different digits, and no sequence such as 1234"
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
