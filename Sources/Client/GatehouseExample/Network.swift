import Foundation
import GatehouseClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that prints each request, and can lose an answer as a bad network does: the server has carried out the
/// request, and the client does not learn of it.
actor Network: HTTPTransport {
    private let transport: any HTTPTransport
    private var losesNextAnswer = false
    private var lost: Data?

    /// - Parameter certificates: the file of a certificate authority; nil for those of the system.
    init(certificates: String?) {
        transport = certificates.map(CurlTransport.init) ?? URLSessionTransport()
    }

    func loseNextAnswer() { losesNextAnswer = true }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let line = "   \(request.httpMethod ?? "GET") \(request.url?.path ?? "")"
        let (data, response) = try await transport.send(request)
        if losesNextAnswer, response.statusCode == 200 {
            losesNextAnswer = false
            lost = data
            print("\(line) -> the server answers \(response.statusCode), and the network loses the answer")
            throw URLError(.networkConnectionLost)
        }
        print("\(line) -> \(response.statusCode)\(comparison(data))")
        return (data, response)
    }

    private func comparison(_ data: Data) -> String {
        guard let lost else { return "" }
        self.lost = nil
        return Self.refreshToken(in: data) == Self.refreshToken(in: lost)
            ? ", with the refresh token of the lost answer" : ", with another refresh token than the lost answer"
    }

    private static func refreshToken(in answer: Data) -> String? {
        struct Answer: Decodable { let refreshToken: String }
        return try? JSONDecoder().decode(Answer.self, from: answer).refreshToken
    }
}

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The fake Apple of `deploy/run`. In an app, `AppleSignIn` asks Apple.
struct FakeApple {
    let url: URL

    /// What Apple would give to the app for this nonce. It is always the same user.
    func login(nonce: String) async throws(Failure) -> AppleLogin {
        var request = URLRequest(url: url.appendingPathComponent("mint"))
        request.httpMethod = "POST"
        request.httpBody = try? JSONEncoder().encode([
            "sub": "gatehouse-example", "email": "example@example.com", "givenName": "Ann", "familyName": "Example",
            "nonce": nonce,
        ])
        let data: Data
        do {
            data = try await URLSessionTransport().send(request).0
        } catch {
            throw Failure((error as? URLError)?.code ?? .unknown, from: url)
        }
        guard let minted = try? JSONDecoder().decode(Minted.self, from: data) else {
            throw Failure(.failed, "\(url.absoluteString) is not the fake Apple: give --apple-url")
        }
        return minted.login(nonce: nonce)
    }

    private struct Minted: Decodable {
        struct Name: Decodable { let givenName, familyName: String? }

        let identityToken: String
        let authorizationCode: String?
        let userIdentifier: String?
        let fullName: Name?

        func login(nonce: String) -> AppleLogin {
            var login = AppleLogin(identityToken: identityToken, nonce: nonce, authorizationCode: authorizationCode)
            login.userIdentifier = userIdentifier
            login.fullName = fullName.map { AppleLogin.Name(givenName: $0.givenName, familyName: $0.familyName) }
            return login
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Waits at a free port of 127.0.0.1 for the browser that comes back with the answer of a sign-in (RFC 8252, section 7.3).
final class LoopbackListener: Sendable {
    private static let path = "/signed-in"
    /// A browser that sends more is answered, too, but what it sends is not read further.
    private static let longestRequest = 16 * 1024

    private let descriptor: Int32
    private let port: UInt16

    /// What the server compares with `http://127.0.0.1/signed-in` of its `REDIRECT_URIS`.
    var redirectURI: String { "http://127.0.0.1:\(port)\(Self.path)" }

    init() throws(Failure) {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        // A browser that has closed its connection must not end the program.
        signal(SIGPIPE, SIG_IGN)
        guard isListening else { throw Failure(.failed, "no port of 127.0.0.1 can be opened (errno \(errno))") }
    }

    deinit { close(descriptor) }

    /// The next address that a browser asks for, if it is the one of an answer.
    func next() async throws(Failure) -> URL {
        let url = await withCheckedContinuation { continuation in
            // Its own thread, because it waits for the browser.
            Thread.detachNewThread { [self] in
                var target: String?
                repeat { target = accept() } while target?.hasPrefix(Self.path + "?") == false
                continuation.resume(returning: target.flatMap { URL(string: "http://127.0.0.1:\(port)\($0)") })
            }
        }
        guard let url else { throw Failure(.failed, "the browser's answer cannot be received (errno \(errno))") }
        return url
    }

    /// The target of one request, which it answers. Nil if the socket has failed.
    private func accept() -> String? {
        #if canImport(Darwin)
            let connection = Darwin.accept(descriptor, nil, nil)
        #elseif canImport(Musl)
            let connection = Musl.accept(descriptor, nil, nil)
        #else
            let connection = Glibc.accept(descriptor, nil, nil)
        #endif
        guard connection >= 0 else { return nil }
        // A browser may open a connection before it needs one, and send nothing on it.
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let browser = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
        let words = Self.request(from: connection).prefix { $0 != "\r\n" }.split(separator: " ")
        let target = words.count == 3 && words[0] == "GET" ? String(words[1]) : ""
        try? browser.write(contentsOf: Self.page(target.hasPrefix(Self.path + "?")))
        return target
    }

    /// `FileHandle` would wait for more than the browser sends.
    private static func request(from connection: Int32) -> String {
        var request = Data()
        var part = [UInt8](repeating: 0, count: 4096)
        while request.range(of: Data("\r\n\r\n".utf8)) == nil, request.count < longestRequest {
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { break }
            request += part.prefix(count)
        }
        return String(decoding: request, as: UTF8.self)
    }

    private static func page(_ isAnswer: Bool) -> Data {
        let text = isAnswer ? "Go back to the terminal. This page can be closed.\n" : "Nothing is here.\n"
        let lines = [
            "HTTP/1.1 \(isAnswer ? "200 OK" : "404 Not Found")", "Content-Type: text/plain; charset=utf-8",
            "Content-Length: \(text.utf8.count)", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
            "Connection: close", "", text,
        ]
        return Data(lines.joined(separator: "\r\n").utf8)
    }
}
