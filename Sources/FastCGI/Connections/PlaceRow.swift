import Synchronization

/// Places of neighbouring descriptors. They come into being when one of them is taken for the first time: the kernel gives
/// out the lowest number that is free, so most rows of most servers stay empty.
///
/// `@unchecked Sendable`: whoever turns `state` from `empty` is the only one who ever writes `places`, and others read
/// them only after it has been turned to `made`, with release and acquire order.
final class PlaceRow: @unchecked Sendable {
    static let length = 64

    private enum State: UInt8, AtomicRepresentable { case empty, making, made }

    private let state = Atomic(State.empty)
    private var places: [Connection] = []

    /// Empty where none was ever taken.
    var made: [Connection] { isMade ? places : [] }

    /// Nil where none of the row was ever taken.
    func place(_ column: Int) -> Connection? { isMade ? places[column] : nil }

    func make() {
        guard !isMade else { return }
        if state.compareExchange(expected: .empty, desired: .making, ordering: .relaxed).exchanged {
            places = (0..<Self.length).map { _ in Connection() }
            state.store(.made, ordering: .releasing)
        }
        // Somebody else may be at it, which takes microseconds.
        while !isMade {}
    }

    private var isMade: Bool { state.load(ordering: .acquiring) == .made }
}
