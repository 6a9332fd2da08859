import Testing

@testable import Gatehouse

@Suite("Countries")
struct CountryTests {
    @Test("every row of the tables is readable, and has its own calling code first")
    func rows() {
        #expect(NumberingPlan.all.count == NumberingPlan.rows.count)
        #expect(NumberingPlan.countries.count >= 225)
        for plan in NumberingPlan.all {
            #expect(plan.callingCode.count + plan.lengths.upperBound <= PhoneNumber.mostDigits, "\(plan)")
            #expect(plan.country.map { $0.code.utf8.count == 2 } ?? true, "\(plan)")
        }
    }

    @Test("no leading digits are in two rows of one calling code")
    func leadingDigits() {
        let ranges = NumberingPlan.all.flatMap { plan in plan.leading.map { "\(plan.callingCode) \($0)" } }
        #expect(Dictionary(grouping: ranges) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
    }

    @Test("no calling code is the beginning of another one, so that a number has one calling code")
    func callingCodes() {
        let codes = Set(NumberingPlan.all.map(\.callingCode))
        for code in codes {
            #expect(codes.filter { $0.hasPrefix(code) } == [code])
        }
    }

    @Test("a code is read in either case, and other texts name no country")
    func codes() {
        for country in ["CN", "cn", "Cn"].map(Country.init(code:)) {
            #expect(country?.code == "CN" && country?.callingCode == "86")
        }
        for code in ["", "C", "CHN", "86", "-", "ZZ", "EU", "ＣＮ", "ıT", " CN"] { #expect(Country(code: code) == nil) }
    }

    @Test(
        "a malformed row is not read",
        arguments: ["", "CN", "CN 86", "CN 86 x", "CN 86 11-9", "CN 86 11 1x", "CN 86 -", "CN 86 11 **"])
    func malformed(row: String) {
        #expect(NumberingPlan(row: row[...]) == nil)
    }
}
