import Gatehouse
import Testing

@Suite("Mail addresses")
struct EmailAddressTests {
    private static let label63 = String(repeating: "d", count: 63)
    private static let local64 = String(repeating: "l", count: 64)

    @Test(
        "an address is kept in lower case, with its dots and its tag",
        arguments: [
            ("mia@example.com", "mia@example.com"), ("Mia.Chen+App@Example.COM", "mia.chen+app@example.com"),
            ("  mia@example.com  ", "mia@example.com"), ("m@e.co", "m@e.co"), ("1@2.x3", "1@2.x3"),
            ("o'brien@example.com", "o'brien@example.com"), ("a/b=c@example.com", "a/b=c@example.com"),
            ("!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"),
            ("mia@xn--fiqs8s.example", "mia@xn--fiqs8s.example"), ("mia@XN--FIQS8S", nil),
            ("mia@mail.sub.example.com", "mia@mail.sub.example.com"), ("mia@1and1.example", "mia@1and1.example"),
            ("mia@123.example", "mia@123.example"), ("-mia-@example.com", "-mia-@example.com"),
            (local64 + "@example.com", local64 + "@example.com"), ("mia@\(label63).com", "mia@\(label63).com"),
            ("abc123@privaterelay.appleid.com", "abc123@privaterelay.appleid.com"), ("10001@qq.com", "10001@qq.com"),
        ] as [(String, String?)])
    func kept(written: String, text: String?) {
        #expect((try? EmailAddress(written))?.text == text)
    }

    @Test(
        "one @ separates a local part, which is a dot-atom, from a domain, which is a host name of two labels or more",
        arguments: [
            ("", .empty), ("   ", .empty), ("mia", .atSign), ("mia.example.com", .atSign),
            ("mia@@example.com", .atSign), ("mia@example@com", .atSign), ("mia@a.com,eve@b.com", .atSign),
            ("@example.com", .localLength), ("@", .localLength), ("mia@", .domainLabel),
            (local64 + "l@example.com", .localLength),
            (".mia@example.com", .localDots), ("mia.@example.com", .localDots), ("mi..a@example.com", .localDots),
            (".@example.com", .localDots), (#""mia"@example.com"#, .localCharacter),
            ("mi\"a@example.com", .localCharacter), (#"mi\a@example.com"#, .localCharacter),
            ("mia,eve@example.com", .localCharacter), ("mia;@example.com", .localCharacter),
            ("<mia@example.com", .localCharacter), ("mia(x)@example.com", .localCharacter),
            ("mailto:mia@example.com", .localCharacter), ("[mia]@example.com", .localCharacter),
            ("mia@localhost", .oneLabel), ("mia@.example.com", .domainLabel), ("mia@example.com.", .domainLabel),
            ("mia@example..com", .domainLabel), ("mia@-example.com", .domainLabel), ("mia@example-.com", .domainLabel),
            ("mia@exa_mple.com", .domainLabel), ("mia@example.com>", .domainLabel), ("mia@exa+mple.com", .domainLabel),
            ("mia@\(label63)d.com", .domainLabel), ("mia@192.0.2.1", .numericEnd), ("mia@example.123", .numericEnd),
            ("mia@[192.0.2.1]", .addressLiteral), ("mia@[IPv6:2001:db8::1]", .addressLiteral),
            ("mia@example.com:25", .domainLabel), ("mia@example.com/x", .domainLabel),
            ("mia@example.com?bcc=x", .domainLabel),
        ] as [(String, AddressFault)])
    func form(written: String, fault: AddressFault) {
        #expect(throws: fault) { try EmailAddress(written) }
    }

    @Test(
        "other than ASCII characters are refused, not converted",
        arguments: [
            "mia＠example.com", "mia@example．com", "mia@ｅxample.com", "mia@еxample.com", "mïa@example.com",
            "mia@exämple.com", "米娅@example.com", "mia@例子.中国", "mia@example。com", "mia\u{200B}@example.com",
            "\u{FEFF}mia@example.com", "mia@example.com\u{202E}", "mia@\u{301}example.com", "mia﹫example.com",
            "mia@example.com\u{A0}", "mia@example.\u{212A}y", "ⅿia@example.com", "mia\u{AD}@example.com",
        ])
    func nonASCII(written: String) {
        #expect(throws: AddressFault.nonASCII) { try EmailAddress(written) }
    }

    @Test(
        "no header can be put into an address",
        arguments: [
            "mia@example.com\r\nBcc: eve@example.com", "mia@example.com\n", "\tmia@example.com", "mi a@example.com",
            "mia@exam ple.com", "mia@example.com\0", "mia\u{7F}@example.com", "Mia <mia@example.com>",
            "mia @example.com", "mia@ example.com",
        ])
    func controls(written: String) {
        #expect(throws: AddressFault.control) { try EmailAddress(written) }
    }

    @Test("the longest address has 254 bytes")
    func longest() throws {
        // 64 + 1 + 63 + 1 + 63 + 1 + 57 + 4
        let tail = String(repeating: "d", count: 57) + ".com"
        let address = "\(Self.local64)@\(Self.label63).\(Self.label63).\(tail)"
        #expect(address.utf8.count == 254)
        #expect(try EmailAddress(" \(address) ").text == address)
        #expect(throws: AddressFault.longAddress) { try EmailAddress(address + "m") }
    }

    @Test("every fault says what the address must be, each in its own words", arguments: AddressFault.allCases)
    func explanations(fault: AddressFault) {
        #expect(fault.explanation.hasPrefix("must "))
        let same = AddressFault.allCases.filter { $0.explanation == fault.explanation }
        #expect(same == [fault])
    }
}
