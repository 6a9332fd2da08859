import DevelopmentHTTP

/// The query of `GET /inbox`.
struct InboxQuery: Sendable {
    private static let longestWait: Int64 = 60

    private let address: String?
    private let number: Int64
    /// How many seconds to wait for the first message.
    let wait: Int64

    init(_ request: HTTPRequest) throws(HTTPRefusal) {
        let parameters = Parameters(request)
        // The + of a number stands for a space in a query, where a person seldom escapes it.
        address = parameters["to"].map { $0.hasPrefix(" ") ? "+" + $0.dropFirst() : $0 }
        number = try Self.number(parameters["after"], "after", upTo: .max)
        wait = try Self.number(parameters["wait"], "wait", upTo: Self.longestWait)
    }

    private static func number(_ text: String?, _ name: String, upTo limit: Int64) throws(HTTPRefusal) -> Int64 {
        guard let text else { return 0 }
        guard let number = Int64(text), (0...limit).contains(number) else {
            throw .invalid("\(name): a number from 0 to \(limit)")
        }
        return number
    }

    func selects(_ message: InboxMessage) -> Bool {
        message.number > number && (address == nil || message.to == address)
    }
}
