import Testing

@testable import Gatehouse

@Suite("Attributes of users")
struct AttributesTests {
    private static let all = Attributes(
        canonical: #"{"a":"x,}\"\\","b":{"c":[1,{"d":"]"}]},"plan":"pro","roles":["EDITOR","VIEWER"]}"#)

    @Test("the members are found whatever their values contain")
    func members() {
        #expect(Self.all.members.map(\.name) == ["a", "b", "plan", "roles"])
        #expect(Self.all["a"] == #""x,}\"\\""# && Self.all["b"] == #"{"c":[1,{"d":"]"}]}"# && Self.all["x"] == nil)
        #expect(Self.all.hasRole("EDITOR") && Self.all.hasRole("VIEWER") && !Self.all.hasRole("ADMIN"))
        #expect(Self.all.texts(of: "roles") == ["EDITOR", "VIEWER"] && Self.all.texts(of: "plan") == nil)
        #expect(Attributes.none.members.isEmpty && Attributes.none.isEmpty)
    }

    @Test(
        "a text that is no JSON crashes nothing",
        arguments: ["", "{", "x", "[", #"{"a"#, #"{"a":"#, #"{"a":"\"#, "{}}", ",,,"])
    func noJSON(_ text: String) {
        let attributes = Attributes(canonical: text)
        _ = (
            attributes.only(["a"]), attributes.depth, attributes.texts(of: "a"), attributes.names(changedFrom: Self.all)
        )
    }

    @Test("what a token contains is the listed members, in the order of the whole")
    func only() {
        #expect(Self.all.only(["roles", "plan", "x"]).json == #"{"plan":"pro","roles":["EDITOR","VIEWER"]}"#)
        #expect(Self.all.only([]) == .none && Self.all.only(["x"]) == .none)
        let long = String(repeating: "x", count: 1000)
        let beyond = Attributes(canonical: #"{"a":"\#(long)","b":"\#(long)","plan":"pro","roles":["12"]}"#)
        #expect(beyond.only(["b", "plan"]).json == #"{"b":"\#(long)","plan":"pro"}"#)
        #expect(beyond.only(["a", "b", "plan"]).json == #"{"a":"\#(long)","plan":"pro"}"#)
        // Written in two ways that String takes for equal.
        #expect(Attributes(canonical: "{\"a\":\"\u{E9}\"}") != Attributes(canonical: "{\"a\":\"e\u{301}\"}"))
    }

    @Test(
        "an element that contains the text of another is no other role",
        arguments: [
            #"["a\",\"ADMIN"]"#, #"["EDITOR,ADMIN"]"#, #"[["ADMIN"]]"#, #"[1,"ADMIN"]"#, #"{"0":"ADMIN"}"#, #""ADMIN""#,
            // Characters that join a quotation mark, and one that String takes for a K.
            "[\"ADMIN\u{600}\"]", "[\"ADMIN\u{D4E}\"]", "[\"\u{301}ADMIN\"]", "[\"\u{212A}EEPER\"]", #"["ADMINx,"]"#,
        ])
    func forgedRole(_ list: String) {
        let attributes = Attributes(canonical: #"{"roles":\#(list)}"#)
        #expect(!attributes.hasRole("ADMIN") && !attributes.hasRole("KEEPER"))
        let policy = AttributePolicy(roles: ["ADMIN", "EDITOR", "KEEPER"])
        #expect(policy.faults(of: attributes) == [.roles])
    }

    @Test("the names of changed members are told, without a value")
    func changes() {
        let other = Attributes(canonical: #"{"a":"x","c":1,"plan":"pro"}"#)
        #expect(Self.all.names(changedFrom: other) == ["a", "b", "c", "roles"])
    }

    @Test(
        "limits hold exactly",
        arguments: [
            ("{\"a\":\"" + String(repeating: "x", count: 4088) + "\"}", []),
            ("{\"a\":\"" + String(repeating: "x", count: 4089) + "\"}", [AttributeFault.tooLong(4097)]),
            ("{\"plan\":\"" + String(repeating: "x", count: 1013) + "\"}", []),
            ("{\"plan\":\"" + String(repeating: "x", count: 1014) + "\"}", [.tooLongForToken(1025)]),
            ("{\"a\":" + String(repeating: "[", count: 7) + String(repeating: "]", count: 7) + "}", []),
            ("{\"a\":" + String(repeating: "[", count: 8) + String(repeating: "]", count: 8) + "}", [.tooDeep]),
            (#"{"a":[9223372036854775807,-9223372036854775808,9.2e+18,"9e+99",{"b":-0.5}]}"#, []),
            (#"{"a":9.223372036854775808e+18}"#, [.number]), (#"{"a":[{"b":"\"","c":-1e+300}]}"#, [.number]),
            ("{\"a\":\"[[[[[[[[[[\"}", []), (#"{"a1_":1,"Z":2}"#, []), (#"{"1a":1}"#, [.name]),
            (#"{"a-b":1}"#, [.name]),
            (#"{"":1}"#, [.name]), (#"{"_a":1}"#, [.name]), (#"{"é":1}"#, [.name]), (#"{"a\"b":1}"#, [.name]),
            (#"{"gatehouse_x":1}"#, [.name]), (#"{"roles":["EDITOR"]}"#, []), (#"{"roles":[]}"#, []),
            (#"{"roles":["EDITOR","EDITOR"]}"#, [.roles]), (#"{"roles":["editor"]}"#, [.roles]),
            (#"{"roles":null}"#, [.roles]),
            ("{\"plan\":1,\"\u{301}plan\":2}", [.name]), ("{\"plan\u{600}\":2}", [.name]),
            ("{\"roles\":[\"EDITOR\u{600}\"]}", [.roles]), ("{\"\u{301}roles\":[\"EDITOR\"]}", [.name]),
        ])
    func faults(_ text: String, _ faults: [AttributeFault]) {
        let policy = AttributePolicy(listed: ["plan"], roles: ["EDITOR"])
        #expect(policy.names == ["plan", "roles"])
        #expect(policy.faults(of: Attributes(canonical: text)) == faults)
    }

    @Test(
        "the header of an attribute has no underscore",
        arguments: [
            ("plan", "X-User-Attribute-Plan"), ("tenant_id", "X-User-Attribute-Tenant-Id"),
            ("tenantId", "X-User-Attribute-TenantId"),
        ])
    func header(_ name: String, _ header: String) { #expect(AttributePolicy.header(of: name) == header) }
}
