/// Collects a body up to a limit.
final class Sink {
    private(set) var bytes: [UInt8] = []
    /// The limit, once more than that was offered.
    private(set) var overflowedLimit: Int?
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// How many bytes were taken: all of them, or none beyond the limit.
    func take(_ piece: UnsafeRawBufferPointer) -> Int {
        guard bytes.count + piece.count <= limit else {
            overflowedLimit = limit
            return 0
        }
        unsafe bytes.append(contentsOf: piece)
        return piece.count
    }
}
