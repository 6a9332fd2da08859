import Gatehouse
import IdentityProviders
import JOSE
import POSIX
import TestSupport
import Testing

@Suite("Key sets of several providers")
struct ProviderIsolationTests {
    private let storage = InMemoryKeySetStorage()

    private func keys(
        _ name: String = "ACME", shared: SharedWaiters? = nil, source: @escaping KeySource
    ) -> ProviderKeys {
        ProviderKeys(
            policy: KeySetPolicy(for: .ofOpenIDTests),
            archive: KeySetArchive(
                storage, address: .discovery(issuer: OpenIDLogin.issuer), of: OpenIDFixture.provider(name)),
            shared: shared, now: { OpenIDLogin.now }, source: source)
    }

    @Test("each provider keeps its set under its own name, and Apple's has the name it always had")
    func names() {
        keys("ACME") { ValidLogin.keySet }.renewIfDue()
        keys("OTHER") { ValidLogin.keySet }.renewIfDue()
        #expect(storage.names.map { $0.prefix { $0 != " " } } == ["acme_keys", "other_keys"])
        let apple = KeySetArchive.name(for: .keySet(url: "https://appleid.apple.com/auth/keys"), of: .apple)
        #expect(apple.hasPrefix("apple_keys ") && apple.utf8.count == 54)
    }

    @Test("a set that was saved for one provider or address is not used for another")
    func otherNames() {
        let down: KeySource = { () throws(KeySetFault) in throw KeySetFault("down") }
        keys("ACME") { ValidLogin.keySet }.renewIfDue()
        #expect(keys("ACME", source: down).result() == "KEY0000001")
        #expect(keys("OTHER", source: down).result() == "unavailable")
        let archive = KeySetArchive(
            storage, address: .keySet(url: OpenIDLogin.issuer), of: OpenIDFixture.provider("ACME"))
        let other = ProviderKeys(archive: archive, now: { OpenIDLogin.now }, source: down)
        #expect(other.result() == "unavailable", "a set found by discovery is not one from an address")
    }

    @Test("providers that hang together block only the shared number of threads")
    func hanging() throws {
        let (hanging, refused, known) = (Monitor(false), Counter(), keys("KNOWN") { ValidLogin.keySet })
        known.renewIfDue()
        let shared = SharedWaiters(limit: 5)
        let providers = (0..<50).map { index in
            keys("P\(index)", shared: shared) {
                hanging.wait { $0 ? () : nil }
                return ValidLogin.keySet
            }
        }
        let threads = try providers.map { keys in
            try Thread.spawn(name: "lookup") {
                if keys.result() == "unavailable" { refused.increment() }
            }
        }
        #expect(Eventually.holds { refused.count == 45 }, "\(refused.count) were refused")
        #expect(shared.count == 5)
        #expect(known.result() == "KEY0000001")
        hanging.change { $0 = true }
        for thread in threads { thread.join() }
        #expect(refused.count == 45)
        #expect(shared.count == 0)
        for keys in providers { #expect(keys.result() == "KEY0000001", "a refusal starts no cooldown") }
    }

    @Test("a request that waits for another one's fetch counts, too")
    func waiting() throws {
        let (hanging, fetching) = (Monitor(false), Monitor(false))
        let shared = SharedWaiters(limit: 2)
        let keys = keys(shared: shared) {
            fetching.change { $0 = true }
            hanging.wait { $0 ? () : nil }
            return ValidLogin.keySet
        }
        let fetcher = try Thread.spawn(name: "fetcher") { _ = keys.result() }
        fetching.wait { $0 ? () : nil }
        let waiter = try Thread.spawn(name: "waiter") { _ = keys.result() }
        #expect(Eventually.holds { shared.count == 2 })
        #expect(keys.result() == "unavailable")
        hanging.change { $0 = true }
        fetcher.join()
        waiter.join()
        #expect(shared.count == 0)
        #expect(keys.result() == "KEY0000001")
    }

    @Test("a background renewal does not count, because it occupies no worker")
    func renewal() {
        let keys = keys(shared: SharedWaiters(limit: 0)) { ValidLogin.keySet }
        #expect(keys.result() == "unavailable")
        keys.renewIfDue()
        #expect(keys.result() == "KEY0000001")
    }
}
