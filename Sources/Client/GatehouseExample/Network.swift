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
