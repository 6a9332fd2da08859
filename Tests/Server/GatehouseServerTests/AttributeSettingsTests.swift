import Gatehouse
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("Settings of attributes")
struct AttributeSettingsTests {
    /// A longer one would be a name that nginx refuses.
    private static let longest = "a" + String(repeating: "b", count: 25)

    @Test(
        "tokens contain the listed names, and roles where the operator has roles of their own",
        arguments: [
            ([:], [], []), (["TOKEN_ATTRIBUTES": "plan, tenant_id"], ["plan", "tenant_id"], []),
            (["ROLES": "EDITOR,viewer"], ["roles"], ["EDITOR", "viewer"]),
            (["TOKEN_ATTRIBUTES": "roles,plan", "ROLES": "EDITOR"], ["roles", "plan"], ["EDITOR"]),
            (["TOKEN_ATTRIBUTES": "Roles,plan"], ["Roles", "plan"], []),
            (["TOKEN_ATTRIBUTES": longest], [longest], []),
        ] as [([String: String], [String], [String])])
    func lists(_ values: [String: String], _ names: [String], _ roles: [String]) throws {
        let policy = try TestConfiguration.read(values).policy.attributes
        #expect(policy.names == names && policy.roles == roles)
    }

    @Test(
        "two names of one header, the roles that exist, and other texts are faults",
        arguments: [
            ["TOKEN_ATTRIBUTES": "plan,Plan"], ["TOKEN_ATTRIBUTES": "plan,"], ["TOKEN_ATTRIBUTES": "a-b"],
            ["TOKEN_ATTRIBUTES": "1a"], ["TOKEN_ATTRIBUTES": longest + "x"],
            ["TOKEN_ATTRIBUTES": (0..<17).map { "a\($0)" }.joined(separator: ",")],
            ["TOKEN_ATTRIBUTES": "Roles", "ROLES": "EDITOR"], ["ROLES": "ADMIN"], ["ROLES": "admin"],
            ["ROLES": "EDITOR,editor"], ["ROLES": "A B-C"], ["ROLES": ","],
        ])
    func faults(_ values: [String: String]) { #expect(TestConfiguration.faults(values).count == 1) }
}
