import Gatehouse
import StoreSupport
import Synchronization

extension AuthService {
    /// At one moment, with bytes that are random only in that no two texts of them are equal.
    static func ofTests(
        _ store: any Store, tokens: PlainTokens = PlainTokens(), policy: Policy = .ofTests(),
        webProviders: [Provider: any WebIdentityProvider] = [:], senders: [CodeChannel: any MessageSender] = [:]
    ) throws(Refusal) -> AuthService {
        let calls = SharedCount()
        return try AuthService(
            store: store, tokens: tokens, apple: UnavailableAppleVerifier(), webProviders: webProviders,
            senders: senders, hasher: PlainHashes(), policy: policy,
            platform: Platform(
                now: { Timestamp(seconds: 0) }, random: { [UInt8](repeating: calls.next(), count: $0) },
                equal: { $0 == $1 }))
    }
}

private final class SharedCount: Sendable {
    private let count = Atomic<UInt8>(0)

    func next() -> UInt8 { count.add(1, ordering: .relaxed).newValue }
}

/// The use cases with a request context of their own, for tests that do not read it.
extension AuthService {
    func logIn(_ login: DevLogin, from device: Device) throws(Refusal) -> LoginResult {
        var context = RequestContext(id: "test")
        return try logIn(login, from: device, in: &context)
    }

    func logIn(_ login: IdentityLogin, from device: Device) throws(Refusal) -> LoginResult {
        var context = RequestContext(id: "test")
        return try logIn(login, from: device, in: &context)
    }

    func refresh(_ token: String, from device: Device = .unknown) throws(Refusal) -> TokenPair {
        var context = RequestContext(id: "test")
        return try refresh(token, proof: nil, from: device, in: &context)
    }

    func authenticate(_ accessToken: ArraySlice<UInt8>?) throws(Refusal) -> Caller {
        var context = RequestContext(id: "test")
        return try authenticate(accessToken.map { SentAccessToken($0) }, proof: nil, in: &context)
    }

    func logOut(_ accessToken: ArraySlice<UInt8>?, refreshToken: String?) throws(Refusal) {
        var context = RequestContext(id: "test")
        try logOut(
            accessToken.map { SentAccessToken($0) }, proof: nil, refreshToken: refreshToken, in: &context)
    }

    func logOutEverywhere(_ accessToken: ArraySlice<UInt8>?, from device: Device) throws(Refusal) {
        var context = RequestContext(id: "test")
        try logOutEverywhere(
            accessToken.map { SentAccessToken($0) }, proof: nil, from: device, in: &context)
    }

    func endSession(
        _ id: SessionID, of accessToken: ArraySlice<UInt8>?, from device: Device
    ) throws(Refusal) {
        var context = RequestContext(id: "test")
        let caller = try authenticateChange(
            accessToken.map { SentAccessToken($0) }, proof: nil, ending: id, from: device, in: &context)
        try endSession(id, of: caller, from: device, in: context)
    }
}
