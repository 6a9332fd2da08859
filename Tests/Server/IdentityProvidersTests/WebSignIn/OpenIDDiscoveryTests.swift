import Gatehouse
import JSON
import POSIX
import Testing

@testable import Curl
@testable import IdentityProviders

@Suite("The metadata that a browser's login needs")
struct OpenIDDiscoveryTests {
    private static let page = OpenIDWebFixture.page
    private static let start = MonotonicTime.now
    private static let known = OpenIDEndpoints(
        pageURL: page, tokenURL: "https://op.example/token")

    private func page(_ fixture: OpenIDWebFixture) -> String? {
        (try? fixture.page().get())?.split(separator: "?").first.map(String.init)
    }

    @Test("they are fetched when they are needed, and once for an hour")
    func cached() {
        let fixture = OpenIDWebFixture([OpenIDWebFixture.grant()])
        #expect(fixture.fetches == 0)
        #expect(page(fixture) == Self.page && page(fixture) == Self.page)
        #expect((try? fixture.verify().get()) != nil)
        fixture.advance(.seconds(3599))
        #expect(page(fixture) == Self.page && fixture.fetches == 1)
        fixture.advance(.seconds(1))
        #expect(page(fixture) == Self.page && fixture.fetches == 2)
    }

    @Test(
        "while they cannot be fetched, the last ones stay in use for two days, and the provider is left alone for a minute"
    )
    func stale() {
        let fixture = OpenIDWebFixture()
        #expect(page(fixture) == Self.page)
        fixture.publish(nil)
        fixture.advance(.seconds(3600))
        #expect(page(fixture) == Self.page && page(fixture) == Self.page && fixture.fetches == 2)
        fixture.advance(.seconds(60))
        #expect(page(fixture) == Self.page && fixture.fetches == 3)
        fixture.advance(.seconds(47 * 3600))
        #expect(page(fixture) == nil && fixture.fetches == 4)
        fixture.publish(OpenIDWebFixture.metadata)
        fixture.advance(.seconds(4))
        #expect(page(fixture) == nil && fixture.fetches == 4)
        fixture.advance(.seconds(1))
        #expect(page(fixture) == Self.page && fixture.fetches == 5)
    }

    @Test(
        "an address that is not https, or metadata of another issuer, are not used",
        arguments: [
            ("authorization_endpoint", "http://op.example/authorize"), ("authorization_endpoint", "http://127.0.0.1/a"),
            ("authorization_endpoint", "javascript:alert(1)"), ("authorization_endpoint", nil),
            ("authorization_endpoint", 7), ("token_endpoint", "http://op.example/token"), ("token_endpoint", nil),
            ("issuer", "https://forger.example"), ("issuer", nil),
        ] as [(String, JSONValue?)])
    func unusable(name: String, value: JSONValue?) {
        let metadata = TestToken.changed(OpenIDWebFixture.metadata, [(name, value)])
        let fixture = OpenIDWebFixture([OpenIDWebFixture.grant()], metadata: metadata)
        #expect(fixture.page() == .failure(.providerUnavailable(OpenIDFixture.name)))
        #expect(fixture.verify() == .failure(.providerUnavailable(OpenIDFixture.name)))
        #expect(fixture.script.events.isEmpty, "no code is spent")
    }

    @Test("a request beyond the limit takes what is known, and otherwise gets an answer at once")
    func limit() {
        let gate = CallGate(limit: 1)
        let fixture = OpenIDWebFixture(gate: gate)
        let inside = gate.pass { page(fixture) }
        #expect(inside == .some(nil) && fixture.fetches == 0)
        #expect(page(fixture) == Self.page && fixture.fetches == 1)
        fixture.advance(.seconds(3600))
        #expect(gate.pass { page(fixture) } == .some(Self.page) && fixture.fetches == 1)
        #expect(page(fixture) == Self.page && fixture.fetches == 2)
    }

    @Test("one request fetches; the others wait for it, or take what is known")
    func singleFlight() {
        var state = OpenIDDiscoveryState()
        let start = Self.start
        #expect(state.next(start, hasWaited: false) == .fetch)
        #expect(state.next(start, hasWaited: false) == .wait)
        #expect(state.next(start, hasWaited: true) == .unavailable)
        state.finish(Self.known, start)
        #expect(state.next(start, hasWaited: true) == .use(Self.known))
        let later = start + OpenIDDiscoveryState.lifetime
        #expect(state.next(later, hasWaited: false) == .fetch)
        #expect(state.next(later, hasWaited: false) == .use(Self.known))
        state.cancel()
        #expect(state.next(later, hasWaited: false) == .fetch)
    }
}
