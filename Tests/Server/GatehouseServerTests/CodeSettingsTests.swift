import CodeDelivery
import Gatehouse
import GatehouseServer
import IdentityProviders
import JOSE
import Testing

@Suite("Settings for codes")
struct CodeSettingsTests {
    private static let secret = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LXNtcy1zZWNyZXQ="
    private static let complete: [String: String?] = [
        "SMS_URL": "http://127.0.0.1:9/sms", "SMS_SECRET": secret, "PHONE_COUNTRIES": "CN, hk",
        "SMTP_URL": "smtps://mail.example.com", "MAIL_FROM": "Example <no-reply@example.com>",
        "NUMBER_URL": "https://numbers.example.com/", "NUMBER_SECRET": FolderFixture.secret,
    ]

    private func faults(_ changes: [String: String?]) -> [String] {
        TestConfiguration.faults(Self.complete.merging(changes) { $1 }).map(\.description)
    }

    @Test("Without them, no code is sent; with them, each channel is open")
    func channels() throws {
        #expect(try TestConfiguration.read().delivery.channels.isEmpty)
        let both = try TestConfiguration.read(Self.complete)
        #expect(both.delivery.channels == [.phone, .email])
        for (name, channel) in [("SMS_URL", CodeChannel.email), ("SMTP_URL", .phone)] {
            let one = try TestConfiguration.read(Self.complete.merging([name: nil]) { $1 })
            #expect(one.delivery.channels == [channel], "what belongs to the other one may stay")
        }
        #expect(both.policy.codes.countries == Set(["CN", "HK"].compactMap(Country.init(code:))))
        #expect(both.policy.codes.limits.perAddress.count == 5)
        #expect(both.policy.phone == PhonePolicy())
    }

    static let faulty: [(name: String, value: String?, fault: String)] = [
        ("SMS_SECRET", nil, "SMS_SECRET is missing"),
        ("SMS_URL", "http://example.com/", "SMS_URL must be an https URL"),
        ("NUMBER_SECRET", nil, "NUMBER_SECRET is missing"),
        ("NUMBER_URL", "http://example.com/", "NUMBER_URL must be an https URL"),
        ("NUMBER_SECRET", "whsec_YQ==", "NUMBER_SECRET must be whsec_"),
        ("SMS_SECRET", "short", "SMS_SECRET must be whsec_"), ("SMS_SECRET", "whsec_YQ==", "SMS_SECRET must be whsec_"),
        ("PHONE_COUNTRIES", "CN,XX", "PHONE_COUNTRIES must be a list of countries"),
        ("PHONE_DEFAULT_COUNTRY", "China", "PHONE_DEFAULT_COUNTRY must be the ISO 3166 code"),
        ("PHONE_DEFAULT_COUNTRY", "GB", "PHONE_DEFAULT_COUNTRY must be the ISO 3166 code"),
        ("MAIL_FROM", nil, "MAIL_FROM is missing"), ("SMTP_URL", "mail.example.com", "SMTP_URL must be smtps://"),
        ("MAIL_FROM", "a@b\r\nBcc: c@d", "MAIL_FROM must be an address"),
        ("PHONE_KINDS", ",voip", "PHONE_KINDS must be a list of mobile, fixed, voip"),
        ("PHONE_KINDS", "mobile,premium", "PHONE_KINDS must be a list of"),
        ("PHONE_KINDS", "Mobile", "PHONE_KINDS must be a list of"),
        ("SMTP_USERNAME", "u", "SMTP_PASSWORD is missing"), ("SMTP_PASSWORD", "p", "SMTP_USERNAME is missing"),
        ("APP_NAME", "a\nb", "APP_NAME must be a name"), ("CODE_DOMAIN", "https://a.b", "CODE_DOMAIN must be the name"),
        ("MESSAGES_DIR", "/nowhere/at/all", "MESSAGES_DIR "), ("PHONE_BINDING", "yes", "PHONE_BINDING must be one of"),
        ("PHONE_STALE_AFTER", "soon", "PHONE_STALE_AFTER must be 0"),
        ("CODES_PER_ADDRESS", "5", "CODES_PER_ADDRESS must be a list such as"),
        ("CODES_PER_CLIENT", "5/2d", "CODES_PER_CLIENT must be a list such as"),
        ("CODES_LEAST_USED", "101", "CODES_LEAST_USED must be a number"),
        ("TEST_CODES", "+8613800138000=12345@2026-12-31", "TEST_CODES must be a list"),
        ("TEST_CODES", "+8613800138000=123456", "TEST_CODES must be a list"),
        ("TEST_CODES", "example=123456@2026-12-31", "TEST_CODES must be a list"),
        ("TEST_CODES", "a@example.com=123456@2026-02-30", "TEST_CODES must be a list"),
    ]

    @Test("A wrong one is named, and its value is not", arguments: faulty)
    func fault(_ name: String, _ value: String?, _ fault: String) {
        let faults = faults([name: value])
        #expect(faults.count == 1 && faults[0].hasPrefix(fault), "\(faults)")
        if let value, value.utf8.count > 5, name != "MESSAGES_DIR" { #expect(!faults.joined().contains(value)) }
    }

    @Test("One-tap sign-in has a receiver of its own, with another secret, and needs countries")
    func numbers() throws {
        #expect(try TestConfiguration.read().delivery.numbers == nil)
        let alone = Self.complete.filter { $0.key.hasPrefix("NUMBER") || $0.key == "PHONE_COUNTRIES" }
        let configuration = try TestConfiguration.read(alone.merging(["PHONE_BINDING": "required"]) { $1 })
        #expect(configuration.delivery.numbers?.url == "https://numbers.example.com/")
        #expect(configuration.delivery.channels.isEmpty)
        let warnings = try TestConfiguration.read(
            Self.complete.merging(["PHONE_COUNTRIES": nil, "NUMBER_SECRET": Self.secret]) { $1 }
        ).warnings.joined(separator: "\n")
        #expect(warnings.contains("NUMBER_URL is set, and PHONE_COUNTRIES is not"))
        #expect(warnings.contains("SMS_SECRET and NUMBER_SECRET have the same secret"))
        let faults = TestConfiguration.faults(["NUMBER_URL": "https://numbers.example.com/"]).map(\.name)
        #expect(faults == ["NUMBER_SECRET"])
        #expect(TestConfiguration.faults(["NUMBER_SECRET": "short"]).isEmpty == false)
    }

    @Test("A number cannot be demanded where none can be proven")
    func binding() {
        let faults = TestConfiguration.faults(["PHONE_BINDING": "required"]).map(\.description)
        #expect(faults.count == 1 && faults[0].hasPrefix("PHONE_BINDING needs SMS_URL"), "\(faults)")
    }

    @Test("Test codes of both channels are read, to the end of their last day")
    func testCodes() throws {
        let text = "+86 138-0013-8000=739154@2026-12-31, Review@Example.com=580263@2026-11-30"
        let codes = try TestConfiguration.read(["TEST_CODES": text]).policy.codes.testCodes
        let phone = try #require(codes[CodeAddress(.phone, "+8613800138000")])
        #expect(phone.code == "739154" && phone.endsAt.description.hasPrefix("2027-01-01T00:00:00"))
        #expect(codes[CodeAddress(.email, "review@example.com")]?.code == "580263")
    }

    /// A date so many days from now.
    private static func day(_ days: Int) -> String {
        String((Timestamp.ofThisMachine + .seconds(days * 86_400)).description.prefix(10))
    }

    @Test(
        "A test code that is easy to guess is refused, in development, too",
        arguments: [
            "000000", "123456", "654321", "424242", "111222", "112233", "012345", "987650", "135790", "123123",
        ])
    func weakCode(code: String) {
        for environment in ["production", "development"] {
            let faults = TestConfiguration.faults([
                "TEST_CODES": "+8613800138000=739154@\(Self.day(9)),a@example.com=\(code)@\(Self.day(9))",
                "APP_ENV": environment,
            ])
            #expect(faults.map(\.name) == ["TEST_CODES"] && faults[0].message.contains("is easy to guess"))
            #expect(!faults.map(\.description).joined().contains(code))
        }
    }

    @Test("A last day more than a year ahead is refused, and one that has ended is no fault, however weak its code is")
    func lastDay() throws {
        let faults = TestConfiguration.faults(["TEST_CODES": "+8613800138000=739154@2099-12-31"])
        #expect(faults.map(\.name) == ["TEST_CODES"] && faults[0].message.contains("more than a year ahead"))
        #expect(TestConfiguration.faults(["TEST_CODES": "+8613800138000=739154@\(Self.day(367))"]).count == 1)
        #expect(TestConfiguration.faults(["TEST_CODES": "+8613800138000=739154@\(Self.day(365))"]).isEmpty)
        #expect(TestConfiguration.faults(["TEST_CODES": "+8613800138000=000000@2020-01-01"]).isEmpty)
    }

    @Test(
        "A secret of webhooks that is not random is refused, also as one of two",
        arguments: [
            Base64.encode([UInt8](repeating: 0, count: 24)), Base64.encode(Array("password-of-the-sms-gateway".utf8)),
            "passwordpasswordpasswordpasswordpassword", Base64.encode(Array("changeme-changeme-changeme".utf8)),
            Base64.encode(Array(1...32)), Base64.encode(Array("30313233343536373839616263646566".utf8)),
            String(repeating: "A", count: 32),
        ])
    func weakSecret(text: String) {
        let random = "whsec_EIYk4Hap3db0PQ1sKREQ6z87uAL0AE6x"
        for (name, url) in [("SMS_SECRET", "SMS_URL"), ("EVENTS_SECRET", "EVENTS_URL")] {
            for value in ["whsec_" + text, "\(random) whsec_\(text)"] {
                let settings = [url: "http://127.0.0.1:9/", name: value, "PHONE_COUNTRIES": "CN"]
                let faults = TestConfiguration.faults(settings)
                #expect(faults.map(\.name) == [name] && faults[0].message.hasPrefix("is not random"), "\(faults)")
                #expect(!faults.map(\.description).joined().contains(text))
            }
        }
    }

    @Test("Only mobile numbers get codes, unless the setting names other kinds")
    func kinds() throws {
        #expect(try TestConfiguration.read([:]).policy.codes.kinds == [.mobile])
        #expect(try TestConfiguration.read(["PHONE_KINDS": "fixed, mobile"]).policy.codes.kinds == [.fixed, .mobile])
    }

    @Test("A country and a test number that an earlier version has accepted are no fault")
    func kept() throws {
        for code in ["CN", "CO", "GA", "GM", "IR", "NL", "PL", "RO", "SK", "ZA", "FR", "IN", "US", "SJ", "CX"] {
            #expect(
                try TestConfiguration.read(["PHONE_DEFAULT_COUNTRY": code]).policy.codes.defaultCountry?.code == code)
        }
        let codes = try TestConfiguration.read(["TEST_CODES": "+12121551234=385106@2026-12-31"]).policy.codes.testCodes
        #expect(codes.keys.map(\.text) == ["+12121551234"])
    }

    @Test("In production, a test code is warned of, also after it has ended")
    func warnings() throws {
        let day = Self.day(30)
        let text = "+8613800138000=739154@\(day),a@example.com=111111@2020-01-01"
        let warnings = try TestConfiguration.read(["TEST_CODES": text]).warnings
        #expect(warnings.contains { $0.contains("TEST_CODES") && $0.contains("until \(day)") }, "\(warnings)")
        #expect(warnings.contains { $0.contains("TEST_CODES") && $0.contains("ended on 2020-01-01") })
        #expect(!warnings.joined().contains("739154"))
        let development = try TestConfiguration.read(["TEST_CODES": text, "APP_ENV": "development"]).warnings
        #expect(!development.joined().contains("TEST_CODES"))
    }

    @Test("A gateway without a country is warned of: no number would get a code")
    func noCountry() throws {
        let settings = Self.complete.merging(["PHONE_COUNTRIES": nil]) { $1 }
        #expect(try TestConfiguration.read(settings).warnings.contains { $0.contains("PHONE_COUNTRIES") })
    }
}
