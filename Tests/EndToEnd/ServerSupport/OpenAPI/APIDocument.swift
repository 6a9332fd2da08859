import GatehouseServer
import GatehouseWeb
import JSON
import Testing

/// The OpenAPI document of Gatehouse, as tests use it.
struct APIDocument: Sendable {
    static let current = Result { try APIDocument(parsing: PublishedDocument.openAPI.bytes) }

    let root: JSONObject
    let operations: [APIOperation]
    /// The problems that any request may get before it reaches an operation.
    let problemsOfAnyRequest: Set<APIProblem>
    /// The headers that nginx adds to every answer, in lower case.
    let headersOfNginx: Set<String>
    private let references: [String: JSONValue]

    init(parsing bytes: [UInt8]) throws {
        try self.init(JSONValue(parsing: bytes).object ?? [:])
    }

    init(_ root: JSONObject) {
        self.root = root
        problemsOfAnyRequest = APIProblem.all(in: root["x-problems"])
        headersOfNginx = Set((root["x-headers"]?.object?.names ?? []).map { $0.lowercased() })
        references = Self.components(of: root)
        operations = Self.operations(of: root)
    }

    private static func components(of root: JSONObject) -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for (kind, components) in root["components"]?.object?.members ?? [] {
            for (name, component) in components.object?.members ?? [] {
                found["#/components/\(kind)/\(name)"] = component
            }
        }
        return found
    }

    private static func operations(of root: JSONObject) -> [APIOperation] {
        (root["paths"]?.object?.members ?? []).flatMap { path, item in
            (item.object?.members ?? []).map { method, operation in
                APIOperation(method: method.uppercased(), path: path, description: operation.object ?? [:])
            }
        }
    }

    /// A component by its reference, such as `#/components/schemas/User`; nil if there is none.
    func component(_ reference: String) -> JSONValue? { references[reference] }

    /// The object itself, or the component that it refers to.
    func resolved(_ value: JSONValue?) -> JSONObject {
        guard let reference = value?.object?["$ref"]?.string else { return value?.object ?? [:] }
        return component(reference)?.object ?? [:]
    }

    func operations(at path: Substring) -> [APIOperation] {
        let exact = operations.filter { $0.path == path }
        return exact.isEmpty ? operations.filter { $0.matches(path) } : exact
    }

    func operation(_ id: String) -> APIOperation? { operations.first { $0.id == id } }
}

/// An operation of the document.
struct APIOperation: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    let description: JSONObject

    var id: String { description["operationId"]?.string ?? "" }

    var testDescription: String { id }

    var problems: Set<APIProblem> { APIProblem.all(in: description["x-problems"]) }

    var responses: JSONObject { description["responses"]?.object ?? [:] }

    var successStatuses: [Int] { responses.names.compactMap(Int.init) }

    /// Whether every request needs an access token, with either scheme.
    var requiresAccessToken: Bool {
        let alternatives = description["security"]?.array?.map { $0.object?.names } ?? []
        return !alternatives.isEmpty
            && alternatives.allSatisfy { [["accessToken"], ["boundAccessToken"]].contains($0) }
    }

    /// Whether only this machine reaches it.
    var isInternal: Bool { description["tags"]?.array == ["On the machine"] || isForServices }

    /// Whether only services of the operator reach it, with a token of theirs.
    var isForServices: Bool { description["tags"]?.array == ["For services"] }

    /// Whether it exists for administrators only.
    var isForAdministrators: Bool { description["tags"]?.array == ["For administrators"] }

    /// Whether browsers reach it and no other client: it answers with pages and redirects.
    var isForBrowsers: Bool { description["tags"]?.array == ["For browsers"] }

    /// nginx asks the guard for requests of any method.
    var answersAnyMethod: Bool { path == "/api/auth/verify" }

    /// A segment in braces matches any text.
    func matches(_ other: Substring) -> Bool {
        guard let opening = path.firstIndex(of: "{"), let closing = path.firstIndex(of: "}") else { return false }
        let (start, end) = (path[..<opening], path[closing...].dropFirst())
        guard other.hasPrefix(start), other.hasSuffix(end), other.count > start.count + end.count else { return false }
        return !other.dropFirst(start.count).dropLast(end.count).contains("/")
    }
}

/// A problem that the document lists.
struct APIProblem: Sendable, Hashable, CustomStringConvertible {
    let status: Int
    let code: String

    var description: String { "\(status) \(code)" }

    /// The problems of an `x-problems`: lists of codes by status.
    static func all(in problems: JSONValue?) -> Set<APIProblem> {
        Set(
            (problems?.object?.members ?? []).flatMap { status, codes in
                (codes.array ?? []).map { APIProblem(status: Int(status) ?? 0, code: $0.string ?? "") }
            })
    }
}
