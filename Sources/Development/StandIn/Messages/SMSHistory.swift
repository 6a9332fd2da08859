/// What the gateway has accepted before: for repeated messages, and for the operators' limits.
struct SMSHistory {
    /// How many codes a number gets within a time, by default in China (Aliyun).
    private static let limits: [(count: Int, seconds: Int64)] = [(1, 60), (5, 3600), (10, 86_400)]
    private static let idCapacity = 1000

    private var ids: [String] = []
    private var times: [String: [Int64]] = [:]

    enum Outcome: Equatable {
        case new
        case repeated
        case limited(seconds: Int64)
    }

    /// - Parameter hasLimits: whether the operators' limits apply.
    mutating func accept(_ order: SMSOrder, id: String, now: Int64, hasLimits: Bool) -> Outcome {
        guard !ids.contains(id) else { return .repeated }
        if order.code != nil {
            prune(now)
            if hasLimits, let seconds = wait(for: order.to, now) { return .limited(seconds: seconds) }
            times[order.to, default: []].append(now)
        }
        ids.append(id)
        if ids.count > Self.idCapacity { ids.removeFirst() }
        return .new
    }

    /// The seconds until the number may get a code; nil if it may get one now.
    private func wait(for number: String, _ now: Int64) -> Int64? {
        let times = times[number] ?? []
        return Self.limits.compactMap { limit in
            let recent = times.filter { $0 > now - limit.seconds }
            return recent.count < limit.count ? nil : recent[recent.count - limit.count] + limit.seconds - now
        }.max()
    }

    private mutating func prune(_ now: Int64) {
        times = times.mapValues { $0.filter { $0 > now - 86_400 } }.filter { !$0.value.isEmpty }
    }
}
