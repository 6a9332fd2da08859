import Foundation

/// What the clients have seen during a phase.
struct LoadReport: Decodable, CustomStringConvertible {
    /// Refused tokens, forks, and answers that the API does not have.
    let violations: [String]
    /// Answers that ask the client to repeat the request, but do not say when.
    let withoutRetryAfter: Int
    /// The longest time between two acknowledged writes to the database.
    let withoutPrimary: Double
    /// By kind of request: seconds from the first acknowledged write to the first good answer.
    let servedAfter: [String: Double?]
    /// By kind and status, such as `refresh 200`.
    let answers: [String: Int]
    /// By kind and status: the longest time until an answer.
    let longest: [String: Double]
    /// By kind and reason: requests without an answer.
    let lost: [String: Int]
    /// The longest times without a good answer.
    let guardGap: Double
    let refreshGap: Double

    func count(_ kind: String, _ status: Int) -> Int { answers["\(kind) \(status)", default: 0] }

    func longest(_ status: Int) -> Double {
        longest.filter { $0.key.hasSuffix(" \(status)") }.map(\.value).max() ?? 0
    }

    /// Whether there were answers without success.
    var hasFailures: Bool { answers.keys.contains { !$0.hasSuffix(" 200") } || !lost.isEmpty }

    var description: String {
        let counts = Dictionary(grouping: answers) { $0.key.split(separator: " ").last ?? "" }
            .mapValues { $0.map(\.value).reduce(0, +) }
        let list = counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
        let served = servedAfter.compactMap { kind, seconds in seconds.map { "\(kind) \($0) s" } }.sorted()
        return """
            \(withoutPrimary) s without a primary, served again after: \(served.joined(separator: ", ")); answers: \
            \(list), lost \(lost.values.reduce(0, +)); longest 200 \(longest(200)) s, longest 503 \(longest(503)) s; \
            longest time without success: refresh \(refreshGap) s, guard \(guardGap) s
            """
    }
}
