import JSON
import Testing

@testable import Console
@testable import DevelopmentHTTP
@testable import Processes

@Suite("The providers that the console offers")
struct ProviderListTests {
    /// What the page gets of a single provider.
    ///
    /// - Parameter apiURL: in the answer of `gatehouse providers show`.
    private func entry(
        _ provider: JSONObject, apiURL: String = "", applePort: UInt16? = 8444
    ) throws -> JSONObject? {
        let list = ProviderList(applePort: applePort) { words in
            let isList = words == ["providers", "list", "--json"]
            guard isList || words == ["providers", "show", "--json", "one"] else {
                return Subprocess.Outcome(status: 2)
            }
            let document: JSONObject =
                isList ? ["providers": .array([.object(provider)])] : ["apiUrl": .string(apiURL)]
            return Subprocess.Outcome(status: 0, output: document.description)
        }
        return try list.json()["providers"]?.array?.first?.object
    }

    @Test(
        "The stand-in mints the logins of an OpenID provider whose keys or metadata it serves, and of no other",
        arguments: [
            ("http://127.0.0.1:8444/openid/google/keys", "openid/google/mint"),
            ("http://127.0.0.1:8444/openid/acme/.well-known/openid-configuration", "openid/acme/mint"),
            ("https://accounts.example.com/keys", nil), ("http://127.0.0.1:84440/openid/acme/keys", nil),
            ("http://127.0.0.1:8444/auth/keys", nil), ("http://127.0.0.1:8444/openid/../keys", nil),
        ] as [(String, String?)])
    func openID(keys: String, mint: String?) throws {
        let provider: JSONObject = [
            "name": "one", "kind": "openid", "audiences": ["a", "b"], "appId": .null, "keys": .string(keys),
        ]
        var expected: JSONObject = ["name": "one", "kind": "openid", "audience": "a"]
        expected["mint"] = mint.map(JSONValue.string)
        #expect(try entry(provider) == expected)
        #expect(try entry(provider, applePort: nil)?["mint"] == nil, "there is no stand-in")
    }

    @Test(
        "The stand-in mints the codes of an app whose API it is, and of no other",
        arguments: [
            ("http://127.0.0.1:8444/wechat", "wechat/mint"), ("http://127.0.0.1:8444/qq", "qq/mint"),
            ("https://api.weixin.qq.com", nil), ("http://127.0.0.1:8444/other", nil),
        ] as [(String, String?)])
    func app(apiURL: String, mint: String?) throws {
        let provider: JSONObject = [
            "name": "one", "kind": "wechat", "audiences": .null, "appId": "wx1", "keys": .null,
        ]
        var expected: JSONObject = ["name": "one", "kind": "wechat", "appId": "wx1"]
        expected["mint"] = mint.map(JSONValue.string)
        #expect(try entry(provider, apiURL: apiURL) == expected)
    }

    @Test(
        "Of the stand-in's paths for providers, the page reaches those that mint a login, and no other",
        arguments: [
            ("/openid/google/mint", true), ("/openid/my-own_2/mint", true), ("/wechat/mint", true), ("/qq/mint", true),
            ("/number/mint", true), ("/number/faults", false),
            ("/openid/google/events/mint", false), ("/openid/google/keys/rotate", false), ("/openid/../mint", false),
            ("/openid//mint", false), ("/wechat/app", false), ("/qq/mint/", false), ("/qq/mint\r\nX: y", false),
        ])
    func mintPaths(path: String, isMint: Bool) {
        #expect(AppleControl.isMint(path) == isMint)
    }

    @Test("A command that fails is an error with its first line")
    func failed() {
        let list = ProviderList(applePort: 8444) { _ in
            Subprocess.Outcome(status: 2, errorOutput: "gatehouse: a file is wrong:\n  x\n")
        }
        let error = #expect(throws: HTTPRefusal.self) { try list.json() }
        #expect(error?.status == "502 Bad Gateway")
        #expect(error?.description == "gatehouse providers failed: gatehouse: a file is wrong:")
    }
}

@Suite("The checks of a refused token")
struct VerifyReportTests {
    @Test("Are the document of gatehouse apple verify")
    func document() {
        let report = VerifyReport.json(
            Subprocess.Outcome(status: 1, output: #"{"ok":false,"checks":[{"subject":"form"}]}"# + "\n"))
        #expect(report == ["ok": false, "checks": [["subject": "form"]]])
    }

    @Test("A command that cannot verify has none, and says why")
    func failed() {
        let report = VerifyReport.json(
            Subprocess.Outcome(status: 2, errorOutput: "gatehouse: the configuration is not usable:\n  x\n"))
        #expect(report["checks"] == [] && report["detail"] == "gatehouse: the configuration is not usable:")
    }
}
