#if os(Linux)
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Sends requests with the program curl, which trusts the certificate authorities in a file, such as that of a server for
    /// development. `URLSession` on Linux trusts the system's authorities alone.
    ///
    /// A body must be text.
    public struct CurlTransport: HTTPTransport {
        private let certificates: String

        /// - Parameter certificates: the path of a file with certificates in PEM.
        public init(certificates: String) { self.certificates = certificates }

        public func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let configuration = try configuration(of: request)
            let output = try await withCheckedThrowingContinuation { continuation in
                // Its own thread, because it waits for the program.
                Thread.detachNewThread { continuation.resume(with: Result { try Self.run(configuration) }) }
            }
            guard let url = request.url, let answer = Self.answer(output, of: url) else {
                throw URLError(.badServerResponse)
            }
            return answer
        }

        /// The tokens are not among the arguments, which other users of the machine can read.
        private func configuration(of request: URLRequest) throws -> Data {
            var lines = [
                ("url", request.url?.absoluteString ?? ""), ("request", request.httpMethod ?? "GET"),
                ("cacert", certificates), ("max-time", "\(Int(request.timeoutInterval))"),
                ("header", "Expect:"),
            ]
            lines += (request.allHTTPHeaderFields ?? [:]).map { ("header", "\($0): \($1)".filter { !$0.isNewline }) }
            if request.httpMethod == "HEAD" { lines.append(("head", "")) }
            if let body = request.httpBody {
                guard let text = String(data: body, encoding: .utf8), !text.contains("\0") else {
                    throw URLError(.requestBodyStreamExhausted)
                }
                lines.append(("data-raw", text))
            }
            return Data(lines.map { "\($0) = \"\(Self.escaped($1))\"\n" }.joined().utf8)
        }

        private static func escaped(_ text: String) -> String {
            [("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")].reduce(text) {
                $0.replacingOccurrences(of: $1.0, with: $1.1)
            }
        }

        private static func run(_ configuration: Data) throws -> Data {
            let (curl, input, output) = (Process(), Pipe(), Pipe())
            curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            curl.arguments = ["curl", "--disable", "--silent", "--include", "--http1.1", "--config", "-"]
            (curl.standardInput, curl.standardOutput) = (input, output)
            try curl.run()
            try input.fileHandleForWriting.write(contentsOf: configuration)
            try input.fileHandleForWriting.close()
            let answer = try output.fileHandleForReading.readToEnd() ?? Data()
            curl.waitUntilExit()
            if let code = failure(curl.terminationStatus) { throw URLError(code) }
            return answer
        }

        /// By curl's exit status.
        private static func failure(_ status: Int32) -> URLError.Code? {
            switch status {
            case 0: nil
            case 6: .cannotFindHost
            case 7: .cannotConnectToHost
            case 28: .timedOut
            case 60, 77: .serverCertificateUntrusted
            default: .networkConnectionLost
            }
        }

        private static func answer(_ output: Data, of url: URL) -> (Data, HTTPURLResponse)? {
            guard let end = output.range(of: Data("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: output[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            guard words.count > 1, let status = Int(words[1]) else { return nil }
            let fields = lines.dropFirst().compactMap { line -> (String, String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (
                    String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                )
            }
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: Dictionary(fields, uniquingKeysWith: { "\($0), \($1)" }))
            return response.map { (Data(output[end.upperBound...]), $0) }
        }
    }
#endif
