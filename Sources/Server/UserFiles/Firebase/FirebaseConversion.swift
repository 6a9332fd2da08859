import JSON

/// Converts a file of `firebase auth:export`, in JSON or in CSV. The first character says which one it is.
package struct FirebaseConversion {
    private enum Format {
        case json(ObjectSplitter)
        case csv(CSVReader)
    }

    package enum Fault: Error, Sendable, Equatable {
        case empty
        /// The document ends within a user, or has no array of users.
        case unfinished
        case longUser
        /// The number of the user, from 1, or of the line.
        case invalid(Int)
    }

    private let names: ProviderNames
    private var format: Format?
    private var count = 0

    /// - Parameter given: the names of other providers, such as `facebook.com`, at Gatehouse.
    package init(providerNames given: [String: String] = [:]) {
        names = ProviderNames(known: FirebaseUser.providers, given: given)
    }

    package mutating func convert(_ chunk: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        let format = try format ?? Self.format(of: chunk)
        switch format {
        case .json(var splitter):
            do { try splitter.split(chunk) { try convert(object: $0, body) } } catch ObjectSplitter.Fault.longObject {
                throw Fault.longUser
            }
            self.format = .json(splitter)
        case .csv(var reader):
            for record in try reader.read(chunk) { try convert(record: record, body) }
            self.format = .csv(reader)
        }
    }

    package mutating func finish(_ body: (ConvertedUser) throws -> Void) throws {
        switch format {
        case .json(let splitter):
            do throws(ObjectSplitter.Fault) { try splitter.finish() } catch { throw Fault.unfinished }
        case .csv(var reader): for record in try reader.finish() { try convert(record: record, body) }
        case nil: throw Fault.empty
        }
    }

    private static func format(of chunk: [UInt8]) throws(Fault) -> Format {
        let start = chunk.starts(with: [0xEF, 0xBB, 0xBF]) ? chunk.dropFirst(3) : chunk[...]
        guard let first = start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { throw .empty }
        return [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) ? .json(ObjectSplitter()) : .csv(CSVReader())
    }

    private mutating func convert(object bytes: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        count += 1
        guard let object = try? JSONValue(parsing: bytes).object else { throw Fault.invalid(count) }
        try body(FirebaseUser(object).converted(names))
    }

    private mutating func convert(record: CSVReader.Record, _ body: (ConvertedUser) throws -> Void) throws {
        guard let user = FirebaseUser(record.fields) else { throw Fault.invalid(record.line) }
        try body(user.converted(names))
    }
}
