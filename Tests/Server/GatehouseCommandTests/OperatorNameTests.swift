import FileSystem
import Testing

@testable import GatehouseCommand

@Suite("The name of an operator in the audit trail")
struct OperatorNameTests {
    private static let root = Account(name: "root", id: 0, groups: [])
    private static let anna = Account(name: "anna", id: 1000, groups: [])

    private func text(_ caller: Account, login: Account? = nil, sudo: String? = nil) -> String {
        OperatorName(caller: caller, login: login, sudoUser: sudo).text
    }

    @Test("is the user, the login if it differs, and the user of sudo")
    func parts() {
        #expect(text(Self.root) == "root (0)")
        #expect(text(Self.root, login: Self.root) == "root (0)")
        #expect(text(Self.root, login: Self.anna) == "root (0), login anna (1000)")
        #expect(text(Self.root, login: Self.anna, sudo: "anna") == "root (0), login anna (1000), sudo by anna")
        #expect(text(Self.anna, sudo: "bob@EXAMPLE") == "anna (1000), sudo by bob@EXAMPLE")
        #expect(text(Account(name: "1234", id: 1234, groups: [])) == "1234 (1234)")
    }

    @Test(
        "holds only valid names, since the caller can set the environment",
        arguments: [
            "", "a b", "a\nb", "root (0), sudo by bob", "ann\u{1B}[0m", "änna", "a,b",
            String(repeating: "a", count: 65),
        ])
    func claims(name: String) {
        #expect(text(Self.root, sudo: name) == "root (0)")
        #expect(text(Account(name: name, id: 7, groups: [])) == "7")
    }
}
