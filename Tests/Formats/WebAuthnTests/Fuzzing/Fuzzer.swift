import JOSE
import JSON
import OpenSSL
import WebAuthn

/// What libFuzzer calls with each input. The first byte selects the reader, and the rest is what the reader gets. Besides memory
/// faults and traps, it finds answers that are accepted and must not be.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let reader = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch reader {
    case UInt8(ascii: "c"): readCBOR(bytes)
    case UInt8(ascii: "k"): readKey(bytes)
    case UInt8(ascii: "a"): register(attestationObject: bytes)
    case UInt8(ascii: "d"): signIn(authenticatorData: bytes)
    case UInt8(ascii: "t"): register(clientDataJSON: bytes)
    case UInt8(ascii: "j"): readAnswers(bytes)
    default: break
    }
    return 0
}

private let relyingParty = RelyingParty(
    id: "example.org", origins: ["https://example.org"], userVerification: .discouraged)
private let challenge = [UInt8](repeating: 7, count: 32)
private let clientDataJSON = Array(
    #"{"type":"webauthn.create","challenge":"\#(Base64URL.encode(challenge))","origin":"https://example.org"}"#.utf8)

/// What is read is written in the only form that is read again.
private func readCBOR(_ bytes: [UInt8]) {
    guard let value = try? CBOR(parsing: bytes) else { return }
    let encoded = value.encoded
    precondition(encoded.count == bytes.count, "a value has two forms")
    precondition((try? CBOR(parsing: encoded).encoded) == encoded, "what was written is not read")
}

private func readKey(_ bytes: [UInt8]) {
    guard let algorithm = try? PasskeyAlgorithm(ofPublicKey: bytes) else { return }
    precondition(PasskeyAlgorithm.allCases.contains(algorithm))
    // The key belongs to nobody, so nothing is signed with it.
    signIn(authenticatorData: authenticatorData(flags: 1), publicKey: bytes)
}

/// With any id, because a change of an id is no change that this function looks for.
private func register(attestationObject bytes: [UInt8]) {
    let data = (try? CBOR(parsing: bytes))?["authData"]?.bytes ?? []
    let count = data.count > 55 ? Int(data[53]) << 8 | Int(data[54]) : 0
    let id = Array(data.dropFirst(55).prefix(count))
    let response: JSONObject = [
        "clientDataJSON": text(clientDataJSON), "attestationObject": text(bytes), "authenticatorData": text(data),
    ]
    guard let answer = try? RegistrationResponse(answer(id, response)),
        let credential = try? relyingParty.verify(answer, challenge: challenge)
    else { return }
    precondition(data.starts(with: SHA256.hash("example.org")) && data[32] & 0x41 == 0x41, "of another relying party")
    precondition(credential.id == id && (1...1023).contains(id.count), "another credential")
    precondition((try? PasskeyAlgorithm(ofPublicKey: credential.publicKey)) == credential.algorithm, "another key")
    precondition(credential.isBackupEligible || !credential.isBackedUp, "a backup of what cannot be backed up")
}

private func authenticatorData(flags: UInt8) -> [UInt8] { SHA256.hash("example.org") + [flags, 0, 0, 0, 0] }

private let knownKey: [UInt8] = {
    guard let key = try? P256PrivateKey.generate().publicKey else { fatalError("no key") }
    return CBOR.map([.init(1, 2), .init(3, -7), .init(-1, 1), .init(-2, .bytes(key.x)), .init(-3, .bytes(key.y))])
        .encoded
}()

private func signIn(authenticatorData: [UInt8], publicKey: [UInt8] = knownKey) {
    let text = String(decoding: clientDataJSON, as: UTF8.self)
    let parts = text.split(separator: "create", maxSplits: 1)
    let clientDataJSON = Array((parts[0] + "get" + parts[1]).utf8)
    let response: JSONObject = [
        "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
        "authenticatorData": .string(Base64URL.encode(authenticatorData)),
        "signature": .string(Base64URL.encode(authenticatorData)),
    ]
    guard let assertion = try? AssertionResponse(answer([1], response)) else { return }
    let known = KnownCredential(id: [1], publicKey: publicKey, signCount: 0)
    do {
        _ = try relyingParty.verify(assertion, challenge: challenge, with: known)
    } catch {
        return
    }
    preconditionFailure("a sign-in that nobody has signed was accepted")
}

private func register(clientDataJSON bytes: [UInt8]) {
    let response: JSONObject = ["clientDataJSON": text(bytes), "attestationObject": text([0xA0])]
    guard let answer = try? RegistrationResponse(answer([1], response)) else { return }
    do {
        _ = try relyingParty.verify(answer, challenge: challenge)
        preconditionFailure("an empty attestation object was accepted")
    } catch {
        // What is refused after the client data has been accepted.
        guard case .malformed(let reason) = error, reason.hasPrefix("the attestation object") else { return }
        let members = try? JSONValue(parsing: withoutMark(bytes)).object
        precondition(members?["challenge"]?.string == Base64URL.encode(challenge), "another challenge")
        precondition(members?["origin"] == "https://example.org" && members?["type"] == "webauthn.create")
        precondition(members?["crossOrigin"]?.bool != true && members?["topOrigin"] == .none, "a frame")
    }
}

private func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
}

private func readAnswers(_ bytes: [UInt8]) {
    guard let object = try? JSONValue(parsing: bytes).object else { return }
    if let registration = try? RegistrationResponse(object) {
        _ = try? relyingParty.verify(registration, challenge: challenge)
    }
    if let assertion = try? AssertionResponse(object) {
        let known = KnownCredential(id: assertion.credentialID, publicKey: knownKey, signCount: 0)
        precondition((try? relyingParty.verify(assertion, challenge: challenge, with: known)) == nil)
    }
}

private func answer(_ id: [UInt8], _ response: JSONObject) -> JSONObject {
    ["id": text(id), "rawId": text(id), "type": "public-key", "response": .object(response)]
}

private func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
