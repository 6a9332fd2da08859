@testable import TestSupport

/// Creates requests as web servers send them, with random changes from a seed.
struct RequestMutator {
    private static let requests = {
        var generator = SeededGenerator(seed: 1)
        return (0..<500).map { _ in request(&generator) }
    }()

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A request with one to five changes.
    mutating func next() -> [UInt8] {
        var bytes = request()
        for _ in 0..<Int.random(in: 1...5, using: &generator) { change(&bytes) }
        return bytes
    }

    private mutating func request() -> [UInt8] { Self.requests.randomElement(using: &generator)! }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else {
            bytes = request()
            return
        }
        let place = place(in: bytes)
        let end = Int.random(in: place...min(bytes.count, place + 40), using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = [0, 1, 2, 9, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
        case 2: bytes.removeSubrange(place...)
        case 3: bytes.removeSubrange(place..<end)
        case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 5: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        case 6: bytes.replaceSubrange(place..., with: request())
        default: setContentLength(in: &bytes)
        }
    }

    /// Prefers the beginning, which has the headers and the lengths of the parameters.
    private mutating func place(in bytes: [UInt8]) -> Int {
        Int.random(in: 0..<min(bytes.count, Bool.random(using: &generator) ? 64 : bytes.count), using: &generator)
    }

    /// Changes the length in the next valid header.
    private mutating func setContentLength(in bytes: inout [UInt8]) {
        let start = place(in: bytes)
        let headers = bytes.indices[start...].prefix(300).dropLast(8)
        guard let header = headers.first(where: { bytes[$0] == 1 && (1...5).contains(bytes[$0 + 1]) }) else { return }
        bytes[header + 4] = [0, 0, 1, 0x20, 0xFF].randomElement(using: &generator)!
        bytes[header + 5] = UInt8.random(in: 0...255, using: &generator)
    }

    private static func request(_ generator: inout SeededGenerator) -> [UInt8] {
        let lengths = [0, 1, 5, 127, 128, 300, 8100, 8192]
        let pairs = (0..<Int.random(in: 0...4, using: &generator)).map { number in
            ("NAME_\(number)", String(repeating: "v", count: lengths.randomElement(using: &generator)!))
        }
        let body = [UInt8](repeating: 65, count: [0, 0, 1, 20, 500, 9000].randomElement(using: &generator)!)
        return FastCGIWire.request(
            ["/echo", "/length", "/large/10"].randomElement(using: &generator)!,
            id: [1, 2, 300, 65535].randomElement(using: &generator)!, body: body,
            keep: Bool.random(using: &generator),
            recordSize: [7, 100, 1000, 65535, 65535].randomElement(using: &generator)!,
            padding: [0, 0, 3, 255].randomElement(using: &generator)!, parameters: pairs)
    }
}
