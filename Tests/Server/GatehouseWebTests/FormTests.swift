import Gatehouse
import Testing

@testable import GatehouseWeb

@Suite("Forms and queries")
struct FormTests {
    private static let form: [EnvelopeField: String] = [
        .contentType: "Application/x-www-form-urlencoded ; charset=utf-8"
    ]

    private func form(_ text: String) throws -> Form { try Request.stub(Self.form, body: text).form() }

    @Test("names and values are decoded, and what is no escape stays")
    func decoded() throws {
        let form = try form("&a=1+2%2B&%61b=x%3dy=z&c&d=%zz%4&e=%C3%A9&&")
        #expect(form.single("a") == "1 2+" && form.single("ab") == "x=y=z" && form.values(of: "c") == [""])
        #expect(form.single("d") == "%zz%4" && form.single("e") == "é" && form.single("%61b") == nil)
    }

    @Test("more than 64 parameters are refused, in a form and in a query, and a service may name a hundred users")
    func most() throws {
        let pairs = (1...64).map { "p\($0)=\($0)" }.joined(separator: "&")
        #expect(try form(pairs).single("p64") == "64")
        #expect(try form("&&&" + pairs).single("p64") == "64")
        for more in ["&p=1", "&p", "&=", "&=&=&="] {
            let problem = #expect(throws: Problem.self) { try form(pairs + more) }
            #expect(problem?.entry.status == 400 && problem?.entry.code == "invalid_request", "\(more)")
            #expect(throws: Problem.self) { try Request.stub([.query: pairs + more]).query() }
        }
        #expect(try Request.stub([.query: pairs]).query().single("p1") == "1")
        let many = pairs + "&" + pairs
        #expect(try Request.stub([.query: many]).query(atMost: 128).values(of: "p64").count == 2)
    }

    /// The largest one that nginx passes on. Each lookup used to decode all of it.
    @Test("a form is split and decoded once, however many parameters are looked up")
    func decodedOnce() throws {
        let text = "a=" + String(repeating: "%41", count: 20_000)
        let clock = ContinuousClock()
        var form: Form?
        let reading = try (0..<5).map { _ in try clock.measure { form = try self.form(text) } }.min() ?? .zero
        let lookups = clock.measure { for _ in 0..<100 { _ = form?.single("code_challenge") } }
        #expect(form?.single("a")?.utf8.count == 20_000)
        #expect(lookups < reading, "100 lookups took \(lookups), reading it \(reading)")
    }

    @Test("a form has its media type, in any case and with parameters")
    func mediaType() {
        #expect(Request.stub(Self.form).hasForm)
        for other in ["", "application/json", "application/x-www-form-urlencodedx", "x-www-form-urlencoded"] {
            #expect(!Request.stub([.contentType: other]).hasForm)
        }
    }

    @Test("a copy is known by its tag, weak or in a list")
    func tags() {
        for field in ["\"t\"", "W/\"t\"", "\"a\" , W/\"t\"", "*", "\t\"t\" "] {
            #expect(Request.stub([.ifNoneMatch: field]).hasCopy(tagged: "t"), "\(field)")
        }
        for field in ["", "t", "\"tt\"", "w/\"t\"", "\"T\""] {
            #expect(!Request.stub([.ifNoneMatch: field]).hasCopy(tagged: "t"), "\(field)")
        }
    }

    @Test("of several proofs none counts")
    func severalProofs() {
        let fields: [EnvelopeField: String] = [.proof: "a.b.c", .proofTarget: "POST https://a.example/"]
        #expect(Request.stub(fields).proof?.text.isEmpty == false)
        #expect(Request.stub(fields, hasSeveralProofs: true).proof?.text.isEmpty == true)
        #expect(Request.stub([.proof: ""]).proof?.text.isEmpty == true, "an empty one is sent, too")
    }
}
