import JSON
import OpenAPIFile

/// The description of the API in OpenAPI 3.1. It is written by hand in `openapi.json`, and the end-to-end tests compare
/// every exchange with it.
package enum OpenAPIDocument {
    /// - Parameter version: the version of the program, which the file does not know.
    package static func bytes(version: String) -> [UInt8] {
        let file = (0..<gatehouse_openapi_size()).map(gatehouse_openapi_byte)
        return file.replacing(Array("@VERSION@".utf8), with: Array(version.utf8), maxReplacements: 1)
    }

    /// The same without the operations that only browsers, services and the machine itself reach: for generators of clients.
    package static func bytesForClients(version: String) -> [UInt8] {
        guard var document = try? JSONValue(parsing: bytes(version: version)).object else {
            preconditionFailure("openapi.json is not a JSON object")
        }
        let tags = document["tags"]?.array ?? []
        document["tags"] = .array(tags.filter { !otherTags.contains($0.object?["name"] ?? .null) })
        document["paths"] = .object(forClients(document["paths"]?.object ?? [:]))
        document["components"] = .object(used(document["components"]?.object ?? [:], by: document["paths"] ?? .null))
        return document.bytes + [UInt8(ascii: "\n")]
    }

    private static let otherTags: [JSONValue] = [
        "For browsers", "For services", "For administrators", "On the machine",
    ]

    private static func forClients(_ paths: JSONObject) -> JSONObject {
        JSONObject(
            paths.members.compactMap { path, operations in
                let others = (operations.object ?? [:]).members.filter { _, operation in
                    operation.object?["tags"]?.array?.contains(where: otherTags.contains) != true
                }
                return others.isEmpty ? nil : (path, .object(JSONObject(others.map { ($0.name, $0.value) })))
            })
    }

    /// The components that the operations refer to, directly or through another one. An operation names its security
    /// scheme without a reference.
    private static func used(_ components: JSONObject, by operations: JSONValue) -> JSONObject {
        let all = components.members.flatMap { kind, entries in
            (entries.object?.members ?? []).map { ("#/components/\(kind)/\($0.name)", $0.value) }
        }
        let definitions = Dictionary(uniqueKeysWithValues: all)
        var (used, open) = (Set<String>(), references(in: operations))
        while let reference = open.popFirst() {
            guard used.insert(reference).inserted, let definition = definitions[reference] else { continue }
            open.formUnion(references(in: definition))
        }
        return JSONObject(
            components.members.compactMap { kind, entries in
                let kept = (entries.object?.members ?? []).filter { name, _ in
                    kind == "securitySchemes" && name != "serviceToken" || used.contains("#/components/\(kind)/\(name)")
                }
                return kept.isEmpty ? nil : (kind, .object(JSONObject(kept.map { ($0.name, $0.value) })))
            })
    }

    private static func references(in value: JSONValue) -> Set<String> {
        switch value {
        case .object(let object):
            object.members.reduce(into: []) { found, member in
                if member.name == "$ref", let reference = member.value.string { found.insert(reference) }
                found.formUnion(references(in: member.value))
            }
        case .array(let array): array.reduce(into: []) { $0.formUnion(references(in: $1)) }
        default: []
        }
    }
}
