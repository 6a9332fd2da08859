import JOSE
package import JSON
import OpenSSL

/// Plays the passkeys of an iPhone and the app or browser that asks for them, for tests and for curl.
///
/// It takes the options that the server makes (`publicKey`), and answers with what `toJSON` of WebAuthn level 3 gives.
package struct SoftwareAuthenticator: Sendable {
    package private(set) var passkeys: [Passkey] = []
    /// Nil for what an iPhone says: https and the id of the relying party.
    package var origin: String?
    /// The page that shows the frame from which the passkey is used. Nil for none.
    package var topOrigin: String?
    /// Of the next passkeys. Nil for the first one of the options that is supported.
    package var algorithm: PasskeyAlgorithm?
    /// Those of every answer. Nil for an iPhone's: the user was verified, and the passkey is backed up.
    package var flags: UInt8?
    /// The counter of every answer. Nil for one that goes on; that of an iPhone stays 0.
    package var signCount: UInt32?

    package init() {}

    // MARK: The two ceremonies

    /// Makes a passkey. A real authenticator has one for each user of a relying party, and so has this one.
    package mutating func create(
        _ options: JSONObject, faults: Set<PasskeyFault> = []
    ) throws(PasskeyError) -> JSONObject {
        let user = try Self.bytes("id", of: try Self.object("user", of: options), in: "user.id")
        guard let party = try Self.object("rp", of: options)["id"]?.string else { throw .options("rp.id") }
        let excluded = options["excludeCredentials"]?.array?.compactMap { $0.object?["id"]?.string } ?? []
        guard !passkeys.contains(where: { excluded.contains($0.name) }) || faults.contains(.excluded) else {
            throw .excluded
        }
        let passkey = try Passkey(
            id: SecureRandom.bytes(faults.contains(.longID) ? 1024 : 20), party: party, user: user,
            key: try newKey(options), signCount: signCount ?? 0)
        passkeys.removeAll { $0.party == party && $0.user == user }
        passkeys.append(passkey)
        let clientData = try clientData("webauthn.create", options, party, faults)
        let data = authenticatorData(flags ?? 0x5D, passkey, credential: passkey.attestedData(faults), faults)
        return Self.credential(
            passkey.id, faults,
            [
                "clientDataJSON": .bytes(clientData), "authenticatorData": .bytes(data),
                "attestationObject": .bytes(Self.attestation(of: data, faults)),
                "publicKeyAlgorithm": .integer(passkey.algorithm.identifier), "transports": ["hybrid", "internal"],
            ])
    }

    /// Signs in with a passkey: the given one, one that the options allow, or the newest of the relying party.
    package mutating func sign(
        _ options: JSONObject, passkey name: String? = nil, faults: Set<PasskeyFault> = []
    ) throws(PasskeyError) -> JSONObject {
        guard let party = options["rpId"]?.string else { throw .options("rpId") }
        let allowed = options["allowCredentials"]?.array?.compactMap { $0.object?["id"]?.string } ?? []
        let index = passkeys.lastIndex {
            $0.party == party && (allowed.isEmpty || allowed.contains($0.name)) && (name == nil || name == $0.name)
        }
        guard let index else { throw .noPasskey(party) }
        passkeys[index].advance(to: signCount, isRepeated: faults.contains(.counter))
        let passkey = passkeys[index]
        let clientData = try clientData("webauthn.get", options, party, faults)
        let data = authenticatorData(flags ?? 0x1D, passkey, credential: [], faults)
        let user = faults.contains(.userHandle) ? SecureRandom.bytes(32) : passkey.user
        var response: JSONObject = [
            "clientDataJSON": .bytes(clientData), "authenticatorData": .bytes(data),
            "signature": .bytes(try passkey.signature(of: data + SHA256.hash(clientData), faults)),
        ]
        if !faults.contains(.noUserHandle) { response["userHandle"] = .bytes(user) }
        return Self.credential(faults.contains(.unknown) ? SecureRandom.bytes(20) : passkey.id, faults, response)
    }

    // MARK: The parts of an answer

    private func newKey(_ options: JSONObject) throws(PasskeyError) -> SigningKey {
        let offered = options["pubKeyCredParams"]?.array?.compactMap { $0.object?["alg"]?.integer } ?? []
        let known = offered.lazy.compactMap { number in PasskeyAlgorithm.allCases.first { $0.identifier == number } }
        guard let algorithm = algorithm ?? known.first else { throw .options("pubKeyCredParams") }
        do { return try SigningKey.generate(algorithm.signature) } catch { throw .key("\(error)") }
    }

    private func clientData(
        _ usual: String, _ options: JSONObject, _ party: String, _ faults: Set<PasskeyFault>
    ) throws(PasskeyError) -> [UInt8] {
        let other = usual == "webauthn.get" ? "webauthn.create" : "webauthn.get"
        let type = faults.contains(.type) ? other : usual
        let challenge = try Self.bytes("challenge", of: options, in: "challenge")
        var json: JSONObject = [
            "type": .string(type),
            "challenge": .bytes(faults.contains(.challenge) ? SecureRandom.bytes(challenge.count) : challenge),
            "origin": .string(faults.contains(.origin) ? PasskeyFault.foreignOrigin : origin ?? "https://" + party),
        ]
        let frame = faults.contains(.crossOrigin) ? PasskeyFault.foreignOrigin : topOrigin
        json["crossOrigin"] = .bool(frame != nil)
        json["topOrigin"] = frame.map(JSONValue.string)
        guard faults.contains(.duplicateMember) else { return json.bytes }
        return json.bytes.dropLast() + Array(#","type":"\#(type)"}"#.utf8)
    }

    private func authenticatorData(
        _ usual: UInt8, _ passkey: Passkey, credential: [UInt8], _ faults: Set<PasskeyFault>
    ) -> [UInt8] {
        var flags = usual
        for fault in faults { fault.change(&flags) }
        let party = faults.contains(.rp) ? PasskeyFault.foreignHost : passkey.party
        let trailing: [UInt8] = faults.contains(.trailing) ? [0] : []
        return SHA256.hash(party) + [flags] + passkey.signCount.bigEndianBytes + credential + trailing
    }

    private static func attestation(of data: [UInt8], _ faults: Set<PasskeyFault>) -> [UInt8] {
        let isForged = faults.contains(.attestation)
        let forged: [(CBOR, CBOR)] = [(.text("alg"), .integer(-7)), (.text("sig"), .bytes([0x30, 0x00]))]
        var members: [(CBOR, CBOR)] = [
            (.text("fmt"), .text(isForged ? "packed" : "none")), (.text("attStmt"), .map(isForged ? forged : [])),
            (.text("authData"), .bytes(data)),
        ]
        if faults.contains(.duplicateKey) { members.append(members[0]) }
        return CBOR.map(members).bytes + (faults.contains(.trailingAttestation) ? [0] : [])
    }

    private static func credential(_ id: [UInt8], _ faults: Set<PasskeyFault>, _ response: JSONObject) -> JSONObject {
        [
            "id": .bytes(faults.contains(.id) ? SecureRandom.bytes(id.count) : id), "rawId": .bytes(id),
            "type": "public-key", "response": .object(response), "authenticatorAttachment": "platform",
            "clientExtensionResults": [:],
        ]
    }

    // MARK: The options

    private static func object(_ name: String, of json: JSONObject) throws(PasskeyError) -> JSONObject {
        guard let object = json[name]?.object else { throw .options(name) }
        return object
    }

    private static func bytes(
        _ name: String, of json: JSONObject, in path: String
    ) throws(PasskeyError) -> [UInt8] {
        guard let bytes = json[name]?.string.flatMap(Base64URL.decode) else { throw .options(path) }
        return bytes
    }
}

// MARK: - In a file

extension SoftwareAuthenticator {
    /// The passkeys, with their private keys.
    package var json: JSONObject { ["passkeys": .array(passkeys.map { .object($0.json) })] }

    package init(_ json: JSONObject) throws(PasskeyError) {
        for value in json["passkeys"]?.array ?? [] { passkeys.append(try Passkey(value.object ?? [:])) }
    }
}

package enum PasskeyError: Error, Equatable, CustomStringConvertible {
    case options(String)
    case excluded
    case noPasskey(String)
    case key(String)
    case file

    package var description: String {
        switch self {
        case .options(let member): "the options have no valid \(member): give what the server has answered"
        case .excluded: "the options exclude a passkey that exists: this user has one here already"
        case .noPasskey(let party): "no passkey here is one of \(party) that the options allow: create one first"
        case .key(let reason): "the key cannot be used: \(reason)"
        case .file: "the file of passkeys is damaged: remove it, and create a passkey"
        }
    }
}
