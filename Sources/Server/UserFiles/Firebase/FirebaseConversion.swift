import JSON

/// Converts a file of `firebase auth:export` in JSON. Its CSV is refused: it escapes neither quotes nor line ends, so that a
/// user's name can write columns and rows.
package struct FirebaseConversion {
    package enum Fault: Error, Sendable, Equatable {
        case empty
        case notJSON
        /// The document ends within a user, or has no array of users.
        case unfinished
        case longUser
        /// The number of the user, from 1.
        case invalid(Int)
    }

    private let names: ProviderNames
    private var splitter = ObjectSplitter()
    private var hasBegun = false
    private var count = 0

    /// - Parameter given: the names of other providers, such as `facebook.com`, at Gatehouse.
    package init(providerNames given: [String: String] = [:]) {
        names = ProviderNames(known: FirebaseUser.providers, given: given)
    }

    package mutating func convert(_ chunk: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        if !hasBegun { try requireJSON(chunk) }
        // Not used in place: the body is a method of the conversion.
        var splitter = splitter
        do { try splitter.split(chunk) { try convert(object: $0, body) } } catch ObjectSplitter.Fault.longObject {
            throw Fault.longUser
        }
        self.splitter = splitter
    }

    package func finish() throws(Fault) {
        guard hasBegun else { throw .empty }
        do throws(ObjectSplitter.Fault) { try splitter.finish() } catch { throw .unfinished }
    }

    /// The first character that is no white space decides.
    private mutating func requireJSON(_ chunk: [UInt8]) throws(Fault) {
        let start = chunk.starts(with: [0xEF, 0xBB, 0xBF]) ? chunk.dropFirst(3) : chunk[...]
        guard let first = start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
        guard [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) else { throw .notJSON }
        hasBegun = true
    }

    private mutating func convert(object bytes: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        count += 1
        guard let object = try? JSONValue(parsing: bytes).object else { throw Fault.invalid(count) }
        try body(FirebaseUser(object).converted(names))
    }
}
