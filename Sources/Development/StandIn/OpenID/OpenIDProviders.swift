import DevelopmentHTTP
import JSON
import Synchronization

/// Any number of OpenID Connect providers. Each is created when it is first used.
final class OpenIDProviders: ProviderKind {
    /// Bounds the memory and the number of key files.
    private static let maximumCount = 100

    private let base: String
    private let folder: String?
    private let log: ProviderRequestLog
    private let providers = Mutex<[String: OpenIDProvider]>([:])

    init(base: String, folder: String?, log: ProviderRequestLog) {
        self.base = base
        self.folder = folder
        self.log = log
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard ["GET", "POST"].contains(request.method), let (name, rest) = Self.parts(of: path),
            OpenIDProvider.endpoints.contains(rest), let provider = try? provider(name)
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
