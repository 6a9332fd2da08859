import JSON

extension FaultOrder {
    /// What comes instead of the answer; nil where it is only late.
    func action(for path: String) -> HTTPAction? {
        switch kind {
        case .delay: nil
        case .hang: .silence(seconds: 60)
        case .close: .silence(seconds: 0)
        case .status: .reply(HTTPReply(status: "\(status) Ordered", json: ["error": .string(error)]))
        case .garbage: .reply(.ok(Array("<html>It works!</html>".utf8)))
        case .empty: .reply(.ok([]))
        case .huge: .reply(.ok([UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)))
        case .redirect: .reply(HTTPReply(status: "302 Found", body: [], location: path))
        }
    }
}
