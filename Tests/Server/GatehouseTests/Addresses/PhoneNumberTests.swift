import Gatehouse
import Testing

@Suite("Phone numbers")
struct PhoneNumberTests {
    @Test(
        "a number has one form, however it was written",
        arguments: [
            "+8613800138000", "+86 138 0013 8000", "+86-138-0013-8000", "+86.138.0013.8000", " +86 13800138000 ",
            "(+86) 138 00138000", "+ 86 138 00138000", "+86\u{A0}138\u{A0}0013\u{A0}8000", "+86\u{202F}13800138000",
            "+86\u{3000}13800138000", "＋８６１３８００１３８０００", "＋86 138００138000",
            // 64 bytes, the longest text.
            "+8613800138000" + String(repeating: " ", count: 50),
        ] as [String])
    func oneForm(written: String) throws {
        let number = try PhoneNumber(written)
        #expect(number.text == "+8613800138000")
        #expect(number.country == Country(code: "CN"))
        #expect(number.prefix == "+861380013")
    }

    @Test(
        "a number belongs to the country that has its leading digits",
        arguments: [
            ("+12125550123", "US"), ("+14165550123", "CA"), ("+18765550123", "JM"), ("+16585550123", "JM"),
            ("+18095550123", "DO"), ("+17875550123", "PR"), ("+17215205678", "SX"), ("+16715550123", "GU"),
            ("+79161234567", "RU"), ("+77012345678", "KZ"), ("+442071234567", "GB"), ("+447911123456", "GG"),
            ("+447911223456", "GB"), ("+447797712345", "JE"), ("+447624123456", "IM"), ("+390612345678", "IT"),
            ("+393331234567", "IT"), ("+390669812345", "VA"), ("+4740612345", "NO"), ("+4779123456", "SJ"),
            ("+61412345678", "AU"), ("+61891621234", "CC"), ("+61891641234", "CX"), ("+212612345678", "MA"),
            ("+212528812345", "MA"), ("+358401234567", "FI"), ("+3581812345", "AX"), ("+590690123456", "GP"),
            ("+590590271234", "BL"), ("+590690001234", "GP"), ("+59995181234", "CW"), ("+5993181234", "BQ"),
            ("+262692123456", "RE"), ("+262639012345", "YT"), ("+38343123456", "XK"), ("+85251234567", "HK"),
            ("+85366123456", "MO"), ("+886912345678", "TW"), ("+2250712345678", "CI"), ("+2290195123456", "BJ"),
            ("+37866661212", "SM"), ("+672322123", "NF"), ("+2908123", "TA"), ("+24740123", "AC"),
            ("+306851234567", "GR"), ("+3197012345678", "NL"), ("+22602123456", "BF"), ("+24106031234", "GA"),
            ("+82181234567", "KR"), ("+393123456789", "IT"),
        ])
    func countries(written: String, country: String) throws {
        #expect(try PhoneNumber(written).country.code == country)
    }

    @Test(
        "a number with two readings, with a plus in another place or of another length is refused rather than guessed",
        arguments: [
            ("8613800138000", .noPlus), ("13800138000", .noPlus), ("008613800138000", .doubleZero),
            ("00 86 138 0013 8000", .doubleZero), ("+44 (0)20 7123 4567", .trunkZero), ("+4901701234567", .trunkZero),
            ("+86013800138000", .trunkZero), ("+33 (0)6 12 34 56 78", .trunkZero), ("+100", .wrongLength),
            ("++8613800138000", .secondPlus), ("+86+13800138000", .secondPlus), ("86+13800138000", .secondPlus),
            ("+＋8613800138000", .secondPlus), ("8613800138000+", .secondPlus),
            ("+861380013800", .wrongLength), ("+86138001380000", .wrongLength), ("+86138", .wrongLength),
            ("+86", .wrongLength), ("+1212555012", .wrongLength), ("+121255501234", .wrongLength),
            ("+8525123456", .wrongLength), ("+852512345678", .wrongLength), ("+5215512345678", .noCountry),
            ("+3936912345678901", .tooManyDigits), ("+8613800138000123", .tooManyDigits), ("", .empty), ("+", .empty),
            (" - ", .empty), ("+8613800138000" + String(repeating: " ", count: 51), .longNumber),
        ] as [(String, AddressFault)])
    func refused(written: String, fault: AddressFault) {
        #expect(throws: fault) { try PhoneNumber(written) }
    }

    @Test(
        "other characters are refused, also invisible ones and the digits of other scripts",
        arguments: [
            "+86138001380OO", "+86 138 0013 8000 ext 5", "+8613800138000;ext=5", "tel:+8613800138000",
            "+8613800138000,", "+8613800138000#", "+86/13800138000", "+8613800138000\n", "+86\t13800138000",
            "\u{202A}+8613800138000\u{202C}", "\u{200E}+8613800138000", "+86\u{200B}13800138000",
            "+8613800138000\u{FEFF}", "+٨٦١٣٨٠٠١٣٨٠٠٠", "+८६१३८००१३८०००", "+86𝟏𝟑𝟖00138000", "+86①3800138000",
            "+86１\u{20E3}3800138000", "+8613800138000\0", "+86‐138‐00138000", "+861380013800\u{661}",
        ])
    func characters(written: String) {
        #expect(throws: AddressFault.numberCharacter) { try PhoneNumber(written) }
    }

    @Test(
        "premium, toll-free, shared-cost, satellite and unassigned numbers belong to no country",
        arguments: [
            "+80012345678", "+80812345678", "+870773123456", "+87812345678901", "+881612345678", "+882161234567",
            "+883510012345", "+8881234567", "+979123456789", "+19005550123", "+18005550123",
            "+18885550123", "+15005550123", "+15335550123", "+17005550123", "+14115550123",
            "+12120551234", "+12121551234", "+12921234567", "+19991234567", "+447012345678",
            "+449012345678", "+448001234567", "+443001234567", "+491371234567", "+499001234567", "+33899123456",
            "+39899123456", "+78005553535", "+81120123456", "+8612345678901", "+85281123456",
            "+0123456789", "+99912345678", "+21012345678",
        ])
    func services(written: String) {
        #expect(throws: AddressFault.noCountry) { try PhoneNumber(written) }
    }

    @Test(
        "a number has the kind of its range, and is mobile where nothing tells that from a landline",
        arguments: [
            ("+8613800138000", .mobile), ("+12125550123", .mobile), ("+447400123456", .mobile),
            ("+442071234567", .fixed),
            ("+861012345678", .fixed), ("+551131234567", .fixed), ("+16005550123", .voip),
        ] as [(String, NumberKind)])
    func kinds(written: String, kind: NumberKind) throws {
        #expect(try PhoneNumber(written).kind == kind)
    }

    @Test("a number that no person can have is read as one that an account may have, with its country and no kind")
    func unassigned() throws {
        for (written, country) in [("+12121551234", "US"), ("+44 701 2345678", "GB"), ("+86 138001380000", "CN")] {
            let number = try PhoneNumber(ofAnyKind: written)
            #expect(number.kind == nil && number.country.code == country && number.forms == [number.text])
        }
        for (written, fault) in [("+80012345678", AddressFault.noCountry), ("12121551234", .noPlus)] {
            #expect(throws: fault) { try PhoneNumber(ofAnyKind: written) }
        }
    }

    @Test(
        "a mobile number of Argentina or Brazil is one, with and without its 9",
        arguments: [
            ("+541123456789", "+5491123456789"), ("+54 9 11 2345-6789", "+5491123456789"),
            ("+542214123456", "+5492214123456"), ("+55 11 6123 4567", "+5511961234567"),
            ("+551171234567", "+5511971234567"), ("+55 (11) 98765-4321", "+5511987654321"),
        ])
    func nine(written: String, text: String) throws {
        let number = try PhoneNumber(written)
        #expect(number.text == text && number.kind == .mobile)
        let short = "+54" + text.dropFirst(4)
        let other = text.hasPrefix("+54") ? short : String(text.prefix(5) + text.dropFirst(6))
        let isShort = written.filter { $0.isNumber }.count == 12
        #expect(number.forms == (isShort ? [other, text] : [text, other]))
    }

    @Test("no other number gets a 9, nor loses one")
    func otherNine() throws {
        for written in [
            "+551131234567", "+5511923456789", "+6755123456", "+8613800138000", "+526641234567",
        ] {
            guard let number = try? PhoneNumber(ofAnyKind: written) else { continue }
            #expect(number.text == written && number.forms == [written])
        }
        for written in ["+548001234567", "+558001234567", "+5491", "+549112345678"] {
            #expect((try? PhoneNumber(written)) == nil, "\(written)")
        }
    }

    @Test(
        "a national number of the default country needs no calling code",
        arguments: [
            ("13800138000", "CN", "+8613800138000"), ("138-0013-8000", "CN", "+8613800138000"),
            ("１３８００１３８０００", "CN", "+8613800138000"), ("(212) 555-0123", "US", "+12125550123"),
            ("5123 4567", "HK", "+85251234567"), ("+85251234567", "CN", "+85251234567"),
        ])
    func nationalNumbers(written: String, country: String, text: String) throws {
        let country = try #require(Country(code: country))
        #expect(try PhoneNumber(written, defaultCountry: country).text == text)
    }

    @Test(
        "a text that is no national number of the default country is refused",
        arguments: [
            ("8613800138000", "CN", .noCountry), ("013800138000", "CN", .noPlus), ("1380013800", "CN", .wrongLength),
            ("12800138000", "CN", .noCountry), ("01012345678", "CN", .noPlus), ("008613800138000", "CN", .doubleZero),
            ("1 212 555 0123", "US", .noCountry), ("0170 1234567", "DE", .noPlus), ("1701234567", "DE", .noPlus),
            ("3331234567", "IT", .noPlus),
        ] as [(String, String, AddressFault)])
    func otherNumbers(written: String, country: String, fault: AddressFault) throws {
        let country = try #require(Country(code: country))
        #expect(throws: fault) { try PhoneNumber(written, defaultCountry: country) }
    }
}
