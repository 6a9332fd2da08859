import Gatehouse
import JSON

extension JSONValue {
    /// The first number that is taken for milliseconds: as seconds it would lie in the year 5138, as milliseconds in 1973.
    private static let firstMilliseconds = 1e11

    /// A moment in seconds or, as Apple's servers write it despite Apple's documents, in milliseconds.
    var momentInEitherUnit: Timestamp? {
        guard let number, number >= Self.firstMilliseconds else { return moment }
        return integer.map(Timestamp.init(milliseconds:))
    }
}
