import Gatehouse
import IdentityProviders
import Testing

@testable import GatehouseCommand
@testable import GatehouseServer

@Suite("The clock of a provider")
struct ProviderClockTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    @Test(
        "differs if it is more than a minute off, in either direction",
        arguments: [(-61, true), (-60, false), (0, false), (60, false), (61, true)] as [(Int64, Bool)])
    func difference(seconds: Int64, isFault: Bool) throws {
        let app = try #require(Provider(lowercaseName: "main"))
        let provider = ConfiguredProvider(
            name: app, details: .openID(OpenIDPolicy(issuers: [], audiences: []), .keySet(url: "http://127.0.0.1:1/")))
        let check = ConfiguredProviderCheck(provider: provider, file: "main.conf", isOffline: false)
        let finding = check.evaluate(clock: Self.now + .seconds(seconds), now: Self.now)
        #expect((finding?.grade == .fault) == isFault)
        #expect(check.evaluate(clock: nil, now: Self.now) == nil)
    }
}
