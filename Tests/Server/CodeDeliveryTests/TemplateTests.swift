import Foundation
import Gatehouse
import TestSupport
import Testing

@testable import CodeDelivery

@Suite("Message templates")
struct TemplateTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ file: String, _ text: String) throws { try write(file, Array(text.utf8)) }

    private func write(_ file: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file(file)))
    }

    private func templates(defaultLanguage: String = "en") throws -> MessageTemplates {
        try MessageTemplates(folder: folder.path, defaultLanguage: defaultLanguage)
    }

    private func values(
        _ content: OutgoingMessage.Content = .code(Sample.code, lifetime: .seconds(600)), app: String = "Example",
        domain: String? = nil
    ) -> MessageValues {
        MessageValues(app: app, domain: domain, content: content)
    }

    private func faults() -> [String] {
        do throws(TemplateFaults) {
            _ = try MessageTemplates(folder: folder.path)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    @Test("Every built-in template has a name and is listed")
    func builtIn() throws {
        let folder = Executable.root + "/Sources/Server/CodeDelivery/Messages"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(files) == Set(BuiltInMessages.files.map(\.name)))
        #expect(files.allSatisfy { TemplateName($0)?.file == $0 })
        for (name, content) in BuiltInMessages.files {
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)) == Data(content))
        }
    }

    @Test("A code in a text message has the domain on its last line, if there is one", arguments: ["en", "zh"])
    func smsCode(language: String) throws {
        let templates = try MessageTemplates()
        let bound = try templates.sms(values(domain: "example.com"), for: language).text
        #expect(bound.split(separator: "\n", omittingEmptySubsequences: false).last == "@example.com #042137")
        let unbound = try templates.sms(values(), for: language).text
        #expect(!unbound.contains("\n") && !unbound.contains("@") && unbound.contains("042137"))
        #expect(unbound.contains("10"))
        #expect(language == "en" || unbound.hasPrefix("【Example】验证码 042137，"))
    }

    @Test("A code in a mail is in the subject, and on a line of its own", arguments: ["en", "zh"])
    func mailCode(language: String) throws {
        let mail = try MessageTemplates().mail(values(), for: language)
        #expect(mail.subject.contains("042137") && mail.subject.contains("Example"))
        #expect(mail.text.split(separator: "\n").contains("042137") && mail.html?.contains(">042137<") == true)
    }

    @Test("Each message has a text in both languages for the channels that it takes, and no placeholder is left")
    func notices() throws {
        let templates = try MessageTemplates()
        var seen: Set<String> = []
        for notice in OutgoingMessage.Notice.allCases {
            let values = values(.notice(notice), domain: "example.com")
            for language in ["en", "zh"] {
                let mail = try templates.mail(values, for: language)
                #expect(mail.language == language)
                var texts = [mail.subject, mail.text]
                if notice == .phoneChanged {
                    let sms = try templates.sms(values, for: language)
                    #expect(sms.language == language && sms.text.contains("Example"))
                    texts.append(sms.text)
                } else {
                    #expect(throws: DeliveryFault.refused("\(notice.rawValue) has no text for this channel")) {
                        try templates.sms(values, for: language)
                    }
                }
                for text in texts { #expect(!text.isEmpty && !text.contains("{") && !text.contains("}")) }
                seen.formUnion(texts)
            }
        }
        #expect(seen.count == OutgoingMessage.Notice.allCases.count * 4 + 2)
    }

    @Test("Each notice to an owner goes to a channel for which it has texts, and each such channel gets it")
    func channels() throws {
        let user = User(
            id: UserID("u"), email: "ann@example.com", emailVerified: true, nickname: nil, createdAt: Sample.now)
        func account(_ provider: Provider, _ subject: String) -> OwnerChange {
            .removed(LinkedAccount(Identity(provider: provider, subject: subject, email: nil), linkedAt: Sample.now))
        }
        let changes: [OwnerChange] = [
            .newDevice, .staleNumberUsed, .linked, .passkeyAdded, .joined, .readdressed, account(.apple, "a"),
            account(.phone, Sample.number), account(.email, Sample.mailAddress),
        ]
        var sent: [MessageKind: Set<CodeChannel>] = [.code: Set(CodeChannel.allCases)]
        for notice in changes.flatMap({ user.notices(of: $0, at: Sample.now) }) {
            sent[.notice(notice.content), default: []].insert(notice.to.channel)
        }
        for kind in MessageKind.all { #expect(sent[kind] == Set(kind.channels), "\(kind.name)") }
    }

    @Test(
        "A lifetime is given in whole minutes, and never as more than it is",
        arguments: [(600, "10"), (599, "9"), (60, "1"), (59, "1"), (0, "1")])
    func minutes(seconds: Int64, text: String) {
        #expect(values(.code(Sample.code, lifetime: .seconds(seconds)))[.minutes] == text)
    }

    @Test("A file of the operator replaces one text and leaves the others")
    func replacement() throws {
        try write("code.sms.zh.txt", "{code} {app} {minutes}")
        let templates = try templates()
        #expect(try templates.sms(values(), for: "zh").text == "042137 Example 10")
        #expect(try templates.sms(values(), for: "en").text == MessageTemplates().sms(values(), for: "en").text)
        #expect(templates.warnings.isEmpty)
    }

    @Test("The operator's text of a mail is sent without the built-in HTML, unless there is own HTML")
    func ownText() throws {
        try write("code.mail.en.txt", "Subject {code}\n\nText {code}\n")
        #expect(
            try templates().mail(values(), for: "en")
                == MailText(language: "en", subject: "Subject 042137", text: "Text 042137", html: nil))
        #expect(try templates().mail(values(), for: "zh").html != nil)
        try write("code.mail.en.html", "<p>{code}</p>\n")
        #expect(try templates().mail(values(), for: "en").html == "<p>042137</p>")
    }

    @Test("HTML has every value escaped, and nothing else; what a value contains is not read as a placeholder")
    func escaping() throws {
        try write("code.mail.en.html", "<p title=\"{app}\">{code} &amp; { color: red } {}</p>")
        let html = try templates().mail(values(.code("<1>", lifetime: .seconds(60)), app: "a<b>&\"c'"), for: "en").html
        #expect(html == "<p title=\"a&lt;b&gt;&amp;&quot;c&#39;\">&lt;1&gt; &amp; { color: red } {}</p>")
        #expect(try templates().mail(values(app: "a<b"), for: "en").subject.contains("a<b"))
        try write("code.sms.en.txt", "{app} {code}")
        #expect(try templates().sms(values(app: "{code}{x}"), for: "en").text == "{code}{x} 042137")
    }

    @Test("A byte order mark and the line ends of Windows are left out")
    func windows() throws {
        try write("code.mail.en.txt", "\u{FEFF}Subject\r\n\r\nFirst\r\n{code}\r\n\r\n")
        let mail = try templates().mail(values(), for: "en")
        #expect(mail.subject == "Subject" && mail.text == "First\n042137")
    }

    @Test(
        "A file with a fault is named",
        arguments: [
            ("code.sms.en.txt", "no code", "does not contain {code}"),
            ("code.mail.en.txt", "{code}\n\nno code", "does not contain {code}"),
            ("code.mail.en.html", "<p>no code</p>", "does not contain {code}"),
            (
                "code.sms.en.txt", "{code} {CODE}",
                "contains {CODE}: this message may have {code}, {app}, {minutes}, {domain}"
            ),
            ("code.sms.en.txt", "{code} {number}", "contains {number}: this"),
            ("phone_changed.sms.en.txt", "{app} {code}", "contains {code}: this message may have {app}, {domain}"),
            ("code.sms.en.txt", "", "has no text"), ("code.sms.en.txt", " \n\t\n", "has no text"),
            ("code.sms.en.txt", "{code}\u{0}", "contains a control character"),
            ("code.sms.en.txt", "{code}\r{code}", "contains a control character"),
            ("code.mail.en.txt", "{code}", "must begin with the subject and an empty line"),
            ("code.mail.en.txt", "Subject\n{code}\ntext", "must begin with the subject and an empty line"),
            ("code.mail.en.txt", "\n\n{code}", "must begin with the subject and an empty line"),
            ("code.mail.fr.html", "<p>{code}</p>", "needs code.mail.fr.txt beside it"),
            ("code.sms.zh_CN.txt", "{code}", "is not the name of a template"),
            ("code.sms.en.html", "{code}", "is not the name of a template"),
            ("codes.sms.en.txt", "{code}", "is not the name of a template"),
            ("code.txt", "{code}", "is not the name of a template"),
            ("code.sms.\u{212A}o.txt", "{code}", "is not the name of a template"),
        ])
    func fault(file: String, text: String, fault: String) throws {
        try write(file, text)
        #expect(faults().count == 1 && faults().first?.hasPrefix("\(file) \(fault)") == true, "\(faults())")
    }

    @Test("A file of 16 KiB is read, and a longer one is a fault")
    func size() throws {
        try write("code.sms.en.txt", "{code}" + String(repeating: "x", count: 16 * 1024 - 6))
        #expect(faults().isEmpty)
        try write("code.sms.en.txt", "{code}" + String(repeating: "x", count: 16 * 1024 - 5))
        #expect(faults() == ["code.sms.en.txt cannot be read: File too large"])
    }

    @Test("All faults are reported, each with its file")
    func allFaults() throws {
        try write("code.sms.zh.txt", Array("{code}".utf8) + [0xFF])
        try write("email_changed.mail.en.txt", "{x}\n\n{app}")
        try write("what.txt", "")
        for name in ["Hant", "hant"] { try write("phone_changed.sms.zh-\(name).txt", "{app}") }
        try FileManager.default.createDirectory(
            atPath: folder.file("code.sms.de.txt"), withIntermediateDirectories: false)
        #expect(
            faults().map { String($0.prefix { $0 != " " }) } == [
                "code.sms.de.txt", "code.sms.zh.txt", "email_changed.mail.en.txt", "phone_changed.sms.zh-hant.txt",
                "what.txt",
            ])
        #expect(faults()[1] == "code.sms.zh.txt is not UTF-8")
        #expect(faults()[3].hasSuffix("is for the same message and language as another file"))
    }

    @Test("A folder that cannot be read is a fault, and other files in it are a warning")
    func otherFiles() throws {
        try write("README", "about these files")
        try write(".hidden.txt", "{x}")
        #expect(try templates().warnings == ["README is ignored: the name of a template ends in .txt or .html"])
        #expect(throws: TemplateFaults.self) { try MessageTemplates(folder: folder.file("missing")) }
    }

    @Test("A text for a channel that its message never takes is a warning, whatever it has")
    func unsent() throws {
        try write("new_device.sms.en.txt", "{x}")
        #expect(try templates().warnings == ["new_device.sms.en.txt is ignored: new_device is sent by mail alone"])
    }

    @Test(
        "The language is looked up as in RFC 4647",
        arguments: [
            (nil, "en"), ("", "en"), ("zh", "zh"), ("zh-CN", "zh"), ("ZH-cn", "zh"), ("zh-Hans-CN", "zh"),
            ("zh-TW", "zh-Hant"), ("zh-HK,zh;q=0.9", "zh-Hant"), ("zh-Hant-TW", "zh-Hant"), ("en-GB", "en"),
            ("fr", "en"), ("de", "de"), ("de-Latn-DE-1996", "de"), ("fr, zh;q=0.5, en;q=0.8", "en"),
            ("fr;q=1.0, zh;q=0.9", "zh"), ("en;q=0, zh;q=0.1", "zh"), ("en;q=0", "en"), ("zh;q=0.5,en;q=0.5", "zh"),
            ("*", "en"), ("*;q=1,zh;q=0.1", "zh"), ("en ; q=0.3 , zh ; q=0.4", "zh"), ("zh;q=2,en", "en"),
            ("zh;level=1", "en"), ("zh;q=0.1234,en;q=0.1", "en"), ("zh-x-private", "zh"), ("q=1", "en"),
            (";;,,;q=", "en"), ("zh;q=0.5;x=1,en;q=0.1", "en"), ("z", "en"), ("zh\u{301}", "en"), ("zh-", "en"),
            ("\u{0}", "en"),
        ] as [(String?, String)])
    func language(field: String?, language: String) throws {
        try write("code.sms.zh-Hant.txt", "{code}")
        try write("code.sms.de.txt", "{code}")
        #expect(try templates().sms(values(), for: field).language == language)
        // English is not preferred to the one Chinese text that there is.
        #expect(try MessageTemplates().sms(values(), for: "zh-TW,en;q=0.9").language == "zh")
    }

    @Test(
        "The default language is for clients that accept none of the languages; English is in its place where it is missing",
        arguments: [("zh", "zh"), ("zh-Hant-TW", "zh"), ("de", "de"), ("nonsense!", "en")])
    func defaultLanguage(language: String, chosen: String) throws {
        try write("code.sms.de.txt", "{code}")
        #expect(try templates(defaultLanguage: language).sms(values(), for: "fr").language == chosen)
        let mail = try templates(defaultLanguage: language).mail(values(), for: nil).language
        #expect(mail == (chosen == "de" ? "en" : chosen))
    }

    @Test("A long field is ignored, and only the first languages of it count")
    func longFields() throws {
        let templates = try MessageTemplates()
        let padding = String(repeating: "x", count: AcceptLanguage.longest)
        #expect(try templates.sms(values(), for: "zh," + padding).language == "en")
        let many = Array(repeating: "fr", count: AcceptLanguage.mostRanges)
        #expect(try templates.sms(values(), for: (many.dropLast() + ["zh"]).joined(separator: ",")).language == "zh")
        #expect(try templates.sms(values(), for: (many + ["zh"]).joined(separator: ",")).language == "en")
    }

    @Test("No field is more than ignored")
    func garbage() throws {
        let templates = try MessageTemplates()
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let count = Int.random(in: 0...40, using: &generator)
            let bytes = (0..<count).map { _ in
                Array("zhen-,;=q.01* \t\u{0}\u{FF}".utf8).randomElement(using: &generator) ?? 0
            }
            let language = try templates.sms(values(), for: String(decoding: bytes, as: UTF8.self)).language
            #expect(["en", "zh"].contains(language))
        }
    }
}
