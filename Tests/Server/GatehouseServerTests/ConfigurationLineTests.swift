import Foundation
import GatehouseServer
import TestSupport
import Testing

@Suite("A line of the configuration file")
struct ConfigurationLineTests {
    /// The value of `TOKEN_ISSUER` in a file of this text, or its faults.
    private func issuer(_ line: String) throws -> String {
        let fixture = try FolderFixture()
        let path = try fixture.write(line, to: "gatehouse.conf")
        do throws(SettingFaults) { return try fixture.configuration().tokenIssuer } catch {
            return "FAULT " + error.faults.map { $0.description.replacing(path, with: "") }.joined(separator: "; ")
        }
    }

    @Test(
        "a value is read as it is: nothing is expanded, escaped or continued",
        arguments: [
            ("TOKEN_ISSUER=x", "x"), ("  TOKEN_ISSUER \t=  x y  ", "x y"), ("TOKEN_ISSUER=a=b", "a=b"),
            ("TOKEN_ISSUER=\"x # y \"", "x # y "), ("TOKEN_ISSUER='it \"is\"'", "it \"is\""),
            ("TOKEN_ISSUER=$HOME", "$HOME"), ("TOKEN_ISSUER=${X:-y}", "${X:-y}"), ("TOKEN_ISSUER=a\\nb", "a\\nb"),
            ("TOKEN_ISSUER=\"a\\\\b\"", "a\\\\b"), ("TOKEN_ISSUER=x#y", "x#y"), ("TOKEN_ISSUER=it's", "it's"),
            ("TOKEN_ISSUER=ü", "ü"),
            // Not set.
            ("TOKEN_ISSUER=", "gatehouse"), ("TOKEN_ISSUER=''", "gatehouse"), ("# TOKEN_ISSUER=x", "gatehouse"),
            ("", "gatehouse"), ("   ", "gatehouse"), ("\r\n \t\r\n\n", "gatehouse"),
            // Byte order marks and line ends of Windows editors.
            ("\u{FEFF}TOKEN_ISSUER=x\r\n", "x"), ("\u{FEFF}# x\r\nTOKEN_ISSUER=x\r\nLOG_LEVEL=info\r\n", "x"),
        ])
    func values(line: String, expected: String) throws {
        #expect(try issuer(line) == expected)
    }

    @Test(
        "a line that other programs would read differently is refused",
        arguments: [
            ("TOKEN_ISSUER", ":1 is neither KEY=value nor a comment"),
            ("export TOKEN_ISSUER=x", ":1 does not begin with the name of a setting"),
            ("=x", ":1 does not begin with the name of a setting"),
            ("[Service]", ":1 is neither KEY=value nor a comment"),
            ("TOKEN_ISSUER: x=y", ":1 does not begin with the name of a setting"),
            (
                "\n\nTOKEN_ISSUER=x # y",
                ":3 TOKEN_ISSUER has a # in its value: quote it, or put the comment on a line of its own"
            ),
            (
                "TOKEN_ISSUER=#x",
                ":1 TOKEN_ISSUER has a # in its value: quote it, or put the comment on a line of its own"
            ),
            ("TOKEN_ISSUER=x \\", ":1 TOKEN_ISSUER ends in \\: lines are not continued"),
            ("TOKEN_ISSUER=\"x", ":1 TOKEN_ISSUER has no closing quote"),
            ("TOKEN_ISSUER=\"x\" y", ":1 TOKEN_ISSUER has text after the closing quote"),
            ("TOKEN_ISSUER=a\u{7}b", ":1 TOKEN_ISSUER has a control character in its value"),
            ("TOKEN_ISSUER=a\tb", ":1 TOKEN_ISSUER has a control character in its value"),
            ("TOKEN_ISSUER=x\nTOKEN_ISSUER=x", ":2 sets TOKEN_ISSUER again: line 1 already sets it"),
            ("TOKEN_ISUER=x", ":1 sets an unknown setting: did you mean TOKEN_ISSUER?"),
            ("token_issuer=x", ":1 sets an unknown setting: did you mean TOKEN_ISSUER?"),
            ("TOKEN_ISSUER_FLIE=x", ":1 sets an unknown setting: did you mean TOKEN_ISSUER_FILE?"),
            ("PATH=x", ":1 sets an unknown setting"),
            ("GATEHOUSE_CONFIG=x", ":1 GATEHOUSE_CONFIG names this file, and can only be set in the environment"),
        ])
    func refusals(line: String, expected: String) throws {
        #expect(try issuer(line) == "FAULT " + expected)
    }
}
