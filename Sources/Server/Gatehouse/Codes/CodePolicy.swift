/// The rules for codes.
package struct CodePolicy: Sendable, Equatable {
    /// A fixed code for an address to which nothing is sent, so that a reviewer of the app can sign in.
    package struct TestCode: Sendable, Equatable {
        package let code: String
        package let endsAt: Timestamp

        package init(code: String, endsAt: Timestamp) {
            (self.code, self.endsAt) = (code, endsAt)
        }
    }

    package var limits: CodeLimits
    /// The countries whose numbers get messages.
    package var countries: Set<Country>
    /// The kinds of numbers that get messages.
    package var kinds: Set<NumberKind>
    /// The country of numbers that are written without a calling code; nil demands one.
    package var defaultCountry: Country?
    package var testCodes: [CodeAddress: TestCode]

    package init(
        limits: CodeLimits = CodeLimits(), countries: Set<Country> = [], kinds: Set<NumberKind> = [.mobile],
        defaultCountry: Country? = nil,
        testCodes: [CodeAddress: TestCode] = [:]
    ) {
        self.limits = limits
        self.countries = countries
        self.kinds = kinds
        self.defaultCountry = defaultCountry
        self.testCodes = testCodes
    }

    func testCode(for address: CodeAddress, now: Timestamp) -> String? {
        testCodes[address].flatMap { now < $0.endsAt ? $0.code : nil }
    }
}

/// What a phone number is for, besides signing in.
package struct PhonePolicy: Sendable, Equatable {
    package enum Binding: String, Sendable, CaseIterable {
        case off
        /// A user without a number can do no more than to bind one.
        case required
    }

    package var binding: Binding
    /// After this long without use, a user with another account does not sign in by the number alone; nil for no limit.
    package var staleAfter: Duration?

    package init(binding: Binding = .off, staleAfter: Duration? = nil) {
        (self.binding, self.staleAfter) = (binding, staleAfter)
    }
}

extension Timestamp {
    /// Whether the last use of a number's account was so long ago that the number may have another owner.
    static func isStale(lastUse: Timestamp?, after limit: Duration?, now: Timestamp) -> Bool {
        guard let limit, let lastUse else { return false }
        return lastUse < now - limit
    }
}
