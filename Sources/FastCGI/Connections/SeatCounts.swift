/// How many workers do what, in one number, so that it changes all at once.
struct SeatCounts {
    let rawValue: UInt64

    /// What one worker counts in each of the three.
    static let seat: Int64 = 1
    static let waiter: Int64 = 1 << 20
    static let sleeper: Int64 = 1 << 40

    var seated: Int { field(0) }
    /// Of the seated, those who wait for news.
    var waiting: Int { field(20) }
    var asleep: Int { field(40) }

    private func field(_ shift: UInt64) -> Int { Int(rawValue >> shift & 0xF_FFFF) }
}
