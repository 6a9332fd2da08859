import Testing

@testable import Gatehouse

@Suite("Countries")
struct CountryTests {
    @Test("every row of the table is readable, and no country is in two")
    func rows() {
        #expect(NumberingPlan.all.count == NumberingPlan.callingCodes.split(separator: "\n").count)
        #expect(NumberingPlan.countries.count == NumberingPlan.all.flatMap(\.countries).count)
        #expect(NumberingPlan.countries.count >= 240)
        #expect(NumberingPlan.countries.keys.allSatisfy { $0.utf8.count == 2 })
    }

    @Test("every state leads on to earlier ones or is the end of a number, and a label names a country")
    func states() {
        let automaton = NumberAutomaton.shared
        #expect(automaton.labels.count > 1000 && automaton.targets.count == automaton.labels.count * 10)
        for state in 1..<automaton.labels.count {
            let targets = automaton.targets[state * 10..<state * 10 + 10]
            #expect(targets.allSatisfy { $0 < state })
            #expect(automaton.labels[state] != 0 || targets.contains { $0 != 0 })
        }
        let most = NumberingPlan.all.map(\.countries.count).max() ?? 0
        #expect(automaton.labels.allSatisfy { $0 <= most * 3 })
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
        arguments: ["", "86", "86 x", "86 1", "86 x CN", "CN 1 86"])
    func malformed(row: String) {
        #expect(NumberingPlan(row: row[...]) == nil)
    }
}
