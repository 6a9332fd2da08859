import Foundation
import JSON
import Testing

/// A file of test vectors, read with the JSON parser of this project.
struct WycheproofFile {
    struct Vector {
        let number: Int64
        let comment: String
        let flags: [String]
        let result: String
        let members: JSONObject

        func bytes(_ name: String) -> [UInt8] { [UInt8](hexadecimal: members[name]!.string!) }
    }

    struct Group {
        let members: JSONObject
        let vectors: [Vector]
    }

    let groups: [Group]

    init(_ name: String) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Vectors/wycheproof/\(name).json")
        let file = try #require(try JSONValue(parsing: Array(Data(contentsOf: url))).object)
        groups = try #require(file["testGroups"]?.array).map { group in
            let members = try #require(group.object)
            return Group(members: members, vectors: try #require(members["tests"]?.array).map(Self.vector))
        }
        // The tests must not pass because the file has too few vectors.
        try #require(Int64(groups.map(\.vectors.count).reduce(0, +)) == file["numberOfTests"]?.integer)
    }

    private static func vector(_ value: JSONValue) throws -> Vector {
        let members = try #require(value.object)
        return Vector(
            number: try #require(members["tcId"]?.integer), comment: try #require(members["comment"]?.string),
            flags: try #require(members["flags"]?.array).compactMap(\.string),
            result: try #require(members["result"]?.string), members: members)
    }
}
