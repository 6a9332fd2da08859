import DevelopmentHTTP
import JSON
import Synchronization

/// Any number of OpenID Connect providers. Each is created when it is first used.
final class OpenIDProviders: Party {
    /// Bounds the memory and the number of key files.
    private static let maximumCount = 100

    private let base: String
    private let folder: String?
    private let log: RequestLog
    private let providers = Mutex<[String: OpenIDProvider]>([:])

    init(base: String, folder: String?, log: RequestLog) {
        (self.base, self.folder, self.log) = (base, folder, log)
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard ["GET", "POST"].contains(request.method), let (name, rest) = Self.parts(of: path),
            OpenIDProvider.endpoints.contains(where: { $0.path == rest }), let provider = try? provider(name)
        else { return nil }
        return provider.answer(request, at: rest, now: now)
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        guard let (name, rest) = Self.parts(of: path), OpenIDProvider.isControl(rest) else {
            throw OpenIDProvider.unknownPath
        }
        return try provider(name).control(request, at: rest, now: now)
    }

    private func provider(_ name: String) throws(HTTPRefusal) -> OpenIDProvider {
        try providers.withLock { providers throws(HTTPRefusal) in
            if let known = providers[name] { return known }
            guard providers.count < Self.maximumCount else {
                throw HTTPRefusal("507 Insufficient Storage", "there are \(Self.maximumCount) providers already")
            }
            let provider = OpenIDProvider(name: name, base: base, folder: folder, log: log)
            providers[name] = provider
            return provider
        }
    }

    /// The name of the provider, and the path below it. Nil if the name is not one.
    private static func parts(of path: String) -> (name: String, path: String)? {
        let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].first, parts[0].count <= 32 else { return nil }
        let letters: ClosedRange<Character> = "a"..."z"
        let isName = parts[0].allSatisfy { letters.contains($0) || ("0"..."9").contains($0) || $0 == "-" || $0 == "_" }
        return isName && letters.contains(first) ? (String(parts[0]), String(parts[1])) : nil
    }
}

// The endpoints that control a provider.
extension OpenIDProvider {
    private static let controls = [
        "mint", "clients", "answers", "keys/rotate", "keys/turnover", "keys/faults", "requests", "events/mint",
    ]

    /// Checked before a provider is created, so that a request to another path creates none.
    static func isControl(_ path: String) -> Bool { controls.contains(path) }

    static let unknownPath = HTTPRefusal(
        "404 Not Found",
        "below /openid/NAME: \(endpoints.map(\.path).joined(separator: ", ")); to control it: "
            + controls.joined(separator: ", ") + " (the last one for google)")

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("GET", "mint"): return try mint(IdentityOrder(), now: now)
        case ("POST", "mint"): return try mint(try IdentityOrder(try request.object()), now: now)
        case ("POST", "events/mint") where isGoogle:
            let order = try SecurityEventOrder(try request.object())
            return ["event": .string(Mint(key: keys.signing).event(order, issuer: settings.issuer, now: now))]
        case ("POST", "clients"):
            let usual = isGoogle ? Google.usualClient : Self.usualClient
            clients.register(try WebClient(try request.object(), usual: usual, names: ("id", "secret")))
        case ("POST", "answers"): forged.add(try ForgedAnswer(try request.object()))
        case ("DELETE", "answers"): forged.clear()
        case ("POST", "keys/rotate"): try keys.rotate()
        case ("POST", "keys/turnover"): try keys.turnOver()
        case ("GET", "keys/faults"): return faults.json
        case ("POST", "keys/faults"):
            faults = try OpenIDFaults(try request.object(), usualIssuer: usualIssuer)
        case ("DELETE", "keys/faults"): faults = try OpenIDFaults(usualIssuer: usualIssuer)
        case ("GET", "requests"): return requestCounts
        case ("DELETE", "requests"): log.clear(below: "/openid/\(name)/")
        default: throw Self.unknownPath
        }
        return [:]
    }

    private func mint(_ order: IdentityOrder, now: Int64) throws -> JSONObject {
        var result: JSONObject = ["identityToken": .string(try token(order, now: now))]
        result["nonce"] = order.nonce.map(JSONValue.string)
        result["accessToken"] = order.accessToken.map(JSONValue.string)
        return result
    }
}
