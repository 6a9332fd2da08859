import Synchronization

/// Places of neighbouring descriptors. They come into being when one of them is taken for the first time: the kernel gives
/// out the lowest number that is free, so most rows of most servers stay empty.
final class PlaceRow: Sendable {
    static let length = 64

    private final class Places: Sendable {
        let all = (0..<PlaceRow.length).map { _ in Connection() }
    }

    private let made = AtomicLazyReference<Places>()

    /// Nil where none was ever taken.
    var places: [Connection]? { made.load()?.all }

    var madePlaces: [Connection] { (made.load() ?? made.storeIfNil(Places())).all }
}
