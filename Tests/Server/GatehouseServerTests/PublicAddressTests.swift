import Foundation
import Gatehouse
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("The public address")
struct PublicAddressTests {
    @Test(
        "a public address is an https origin",
        arguments: [
            ("https://api.example.com", "api.example.com", 443, "https://api.example.com"),
            ("https://API.example.com/", "api.example.com", 443, "https://api.example.com"),
            ("https://localhost:8443", "localhost", 8443, "https://localhost:8443"),
            ("https://192.0.2.1:443", "192.0.2.1", 443, "https://192.0.2.1"),
            ("https://[2001:db8::1]:8443", "2001:db8::1", 8443, "https://[2001:db8::1]:8443"),
        ] as [(String, String, UInt16, String)])
    func origin(text: String, host: String, port: UInt16, description: String) throws {
        let address = try #require(PublicAddress(text))
        #expect(address.host == host && address.port == port && address.description == description)
    }

    @Test(
        "other texts are refused",
        arguments: [
            "http://api.example.com", "api.example.com", "https://", "https://a/b", "https://a?b", "https://a#b",
            "https://user@a", "https://user:pass@a", "https://a:0", "https://a:65536", "https://a:", "https://a b",
            "https://-a", "https://a-", "https://2001:db8::1", "https://[::1", "https://a\n", "https://a//", "ftp://a",
            "https://é",
        ])
    func refused(text: String) {
        #expect(PublicAddress(text) == nil)
        #expect(TestConfiguration.faults(["PUBLIC_URL": text]).map(\.name) == ["PUBLIC_URL"])
    }

    @Test(
        "names and addresses of this machine are recognised",
        arguments: [
            ("https://localhost", true), ("https://a.localhost", true), ("https://127.0.0.2", true),
            ("https://[::1]", true),
            ("https://localhost.example.com", false), ("https://api.example.com", false), ("https://192.0.2.1", false),
        ])
    func thisMachine(text: String, isOfThisMachine: Bool) {
        #expect(PublicAddress(text)?.isOfThisMachine == isOfThisMachine)
    }

    @Test("the setting takes precedence over the file beside the configuration file")
    func sources() throws {
        let fixture = try FolderFixture()
        let folder = fixture.folder
        func read(_ setting: String?, _ fallback: String?) throws -> Configuration {
            try fixture.write(setting.map { "PUBLIC_URL=\($0)\n" } ?? "", to: "gatehouse.conf")
            try? FileManager.default.removeItem(atPath: folder.file("public_url"))
            if let fallback { try fixture.write(fallback, to: "public_url") }
            return try fixture.configuration()
        }
        #expect(try read(nil, nil).publicAddress == .unknown)
        #expect(try read(nil, "https://a.example\n").publicAddress.address?.host == "a.example")
        #expect(try read("https://b.example", "https://a.example\n").publicAddress.address?.host == "b.example")
        #expect(try read("off", "https://a.example\n").publicAddress == .off)
        #expect(try read(nil, "off").publicAddress == .off)
        #expect(try read("", "").publicAddress == .unknown)
        // A fault in a file that another program writes is a warning only.
        let faulty = try read(nil, "http://a.example")
        #expect(faulty.publicAddress == .unknown)
        #expect(faulty.warnings.contains { $0.hasPrefix(folder.file("public_url")) })
        let changes = try read(nil, "https://a.example").digests.changes(to: try read(nil, "https://b.example").digests)
        #expect(changes == ["PUBLIC_URL"])
    }

    @Test(
        "an answer of this server is distinguished from other answers",
        arguments: [
            (401, #"{"code":"invalid_access_token"}"#, .ours), (401, "<html>", .other(status: 401)),
            (200, #"{"code":"invalid_access_token"}"#, .problem(status: 200, code: "invalid_access_token")),
            (502, #"{"code":"bad_gateway"}"#, .problem(status: 502, code: "bad_gateway")),
            (404, #"{"code":"not\nours"}"#, .other(status: 404)), (301, "", .other(status: 301)),
        ] as [(Int, String, PublicProbe.Answer)])
    func answers(status: Int, body: String, answer: PublicProbe.Answer) {
        #expect(PublicProbe.answer(status: status, body: Array(body.utf8)) == answer)
    }
}

@Suite("The Date header of a server")
struct HTTPDateTests {
    @Test(
        "is read in the form of RFC 9110, and in no other",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Sat, 21 Nov 2026 20:18:46 GMT", 1_795_292_326), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37", nil), ("Sun, 06 Xxx 1994 08:49:37 GMT", nil),
            ("Mon, 30 Feb 2026 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) {
        #expect(Timestamp(httpDate: text)?.seconds == seconds)
    }

    @Test(
        "is that of the origin, to which a cache adds the age of the answer",
        arguments: [
            (nil, 0), ("0", 0), ("90", 90), ("-5", 0), ("x", 0), ("9223372036854775807", 2_147_483_647),
            ("99999999999999999999", 0),
        ] as [(String?, Int64)])
    func ages(age: String?, seconds: Int64) {
        #expect(Timestamp(httpDate: "Thu, 01 Jan 1970 00:00:00 GMT", age: age)?.seconds == seconds)
        #expect(Timestamp(httpDate: "", age: age) == nil)
    }
}
