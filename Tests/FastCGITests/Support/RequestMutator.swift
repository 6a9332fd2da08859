@testable import TestSupport

/// Requests as fronts send them, and what becomes of them by seeded changes.
struct RequestMutator {
    private static let requests = {
        var dice = SeededDice(seed: 1)
        return (0..<500).map { _ in request(&dice) }
    }()

    private var dice: SeededDice

    init(seed: UInt64) {
        dice = SeededDice(seed: seed)
    }

    /// A stream with one to five changes.
    mutating func next() -> [UInt8] {
        var bytes = request()
        for _ in 0..<Int.random(in: 1...5, using: &dice) { change(&bytes) }
        return bytes
    }

    private mutating func request() -> [UInt8] { Self.requests.randomElement(using: &dice)! }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else {
            bytes = request()
            return
        }
        let place = place(in: bytes)
        let end = Int.random(in: place...min(bytes.count, place + 40), using: &dice)
        switch Int.random(in: 0..<8, using: &dice) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 1: bytes[place] = [0, 1, 2, 9, 0x7F, 0x80, 0xFF].randomElement(using: &dice)!
        case 2: bytes.removeSubrange(place...)
        case 3: bytes.removeSubrange(place..<end)
        case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 5: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
        case 6: bytes.replaceSubrange(place..., with: request())
        default: setContentLength(in: &bytes)
        }
    }

    /// Rather near the beginning, where the headers and the parameters' lengths are.
    private mutating func place(in bytes: [UInt8]) -> Int {
        Int.random(in: 0..<min(bytes.count, Bool.random(using: &dice) ? 64 : bytes.count), using: &dice)
    }

    /// The length of the next record whose header looks right.
    private mutating func setContentLength(in bytes: inout [UInt8]) {
        let start = place(in: bytes)
        let headers = bytes.indices[start...].prefix(300).dropLast(8)
        guard let header = headers.first(where: { bytes[$0] == 1 && (1...5).contains(bytes[$0 + 1]) }) else { return }
        bytes[header + 4] = [0, 0, 1, 0x20, 0xFF].randomElement(using: &dice)!
        bytes[header + 5] = UInt8.random(in: 0...255, using: &dice)
    }

    private static func request(_ dice: inout SeededDice) -> [UInt8] {
        let lengths = [0, 1, 5, 127, 128, 300, 8100, 8192]
        let pairs = (0..<Int.random(in: 0...4, using: &dice)).map { number in
            ("NAME_\(number)", String(repeating: "v", count: lengths.randomElement(using: &dice)!))
        }
        let body = [UInt8](repeating: 65, count: [0, 0, 1, 20, 500, 9000].randomElement(using: &dice)!)
        return FastCGIWire.request(
            ["/echo", "/length", "/large/10"].randomElement(using: &dice)!,
            id: [1, 2, 300, 65535].randomElement(using: &dice)!, body: body,
            keep: Bool.random(using: &dice),
            recordSize: [7, 100, 1000, 65535, 65535].randomElement(using: &dice)!,
            padding: [0, 0, 3, 255].randomElement(using: &dice)!, parameters: pairs)
    }
}
