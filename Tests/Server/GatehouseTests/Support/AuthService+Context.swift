import Gatehouse

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
        try endSession(
            id, of: accessToken.map { SentAccessToken($0) }, proof: nil, from: device, in: &context)
    }
}
