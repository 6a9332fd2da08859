import GatehouseServer
import GatehouseWeb
import JSON
import Testing

@testable import ServerSupport

/// Rules that generators of clients need: swift-openapi-generator, openapi-generator (Kotlin, Dart, TypeScript, Java),
/// openapi-python-client.
@Suite("The OpenAPI document fits generators of clients")
struct GeneratorRulesTests {
    private let document: APIDocument

    init() throws {
        document = try APIDocument.current.get()
    }

    /// An object anywhere in the document, and the names that lead to it.
    private struct Node {
        let object: JSONObject
        let path: [String]

        var place: String { path.joined(separator: "/") }
    }

    private func nodes(in value: JSONValue, at path: [String]) -> [Node] {
        switch value {
        case .object(let object):
            [Node(object: object, path: path)] + object.members.flatMap { nodes(in: $1, at: path + [$0]) }
        case .array(let array): array.enumerated().flatMap { nodes(in: $1, at: path + ["\($0)"]) }
        default: []
        }
    }

    private var all: [Node] { nodes(in: .object(document.root), at: []) }

    @Test("Each operation has an identifier of its own, one tag and a summary")
    func identifiers() throws {
        let identifiers = document.operations.map(\.id)
        #expect(Set(identifiers).count == identifiers.count)
        let tags = document.root["tags"]?.array?.map { $0.object?["name"] } ?? []
        for operation in document.operations {
            #expect(operation.id.wholeMatch(of: /[a-z][A-Za-z]+/) != nil, "\(operation.path)")
            let used = operation.description["tags"]?.array ?? []
            #expect(used.count == 1 && tags.contains(used.first), "\(operation.id)")
            #expect(operation.description["summary"]?.string?.isEmpty == false, "\(operation.id)")
            #expect(operation.description["security"]?.array != nil, "\(operation.id)")
        }
    }

    @Test(
        "Each operation has one success, possibly 304, and one default problem; those for browsers a redirect and a page"
    )
    func responses() throws {
        for operation in document.operations.filter(\.isForBrowsers) {
            #expect(operation.responses.names == ["303", "default"], "\(operation.id)")
            #expect(operation.responses["default"]?.object?["$ref"] == "#/components/responses/Page")
        }
        for operation in document.operations where !operation.isForBrowsers {
            let statuses = operation.responses.names
            // A page that only asks whether its browser has a session gets 204. Generated clients do not ask.
            let success = statuses.filter { $0.hasPrefix("2") && !(operation.id == "refresh" && $0 == "204") }
            #expect(success.count == 1, "\(operation.id)")
            #expect(Set(statuses).isSubset(of: ["200", "202", "204", "304", "default"]), "\(operation.id)")
            let problem = operation.responses["default"]?.object?["$ref"]?.string
            let others = ["verify": "GuardRefusal", "exchangeCode": "TokenProblem"]
            let expected = others[operation.id] ?? "Problem"
            #expect(problem == "#/components/responses/\(expected)", "\(operation.id)")
        }
    }

    @Test("No schema uses what a generator does not support, and one that may be null has its type and null in a list")
    func keywords() throws {
        let unsupported = [
            "anyOf", "allOf", "oneOf", "not", "if", "then", "else", "patternProperties", "discriminator", "const",
        ]
        for node in all where !node.path.contains("x-problem-codes") {
            for keyword in unsupported { #expect(node.object[keyword] == nil, "\(node.place)") }
            #expect(node.object["type"] != "null", "\(node.place)")
            #expect(node.object["nullable"] == nil, "\(node.place)")
            #expect(node.object["additionalProperties"] == nil, "answers may get more members: \(node.place)")
        }
        for node in all {
            guard let types = node.object["type"]?.array else { continue }
            #expect(types.count == 2 && types.last == "null", "\(node.place)")
        }
    }

    /// From an `anyOf` of a list and any text, generators of Kotlin, Dart and Swift make a class without members.
    @Test("A list of values that may grow is a text, and names its values in an extension")
    func growingLists() throws {
        let lists = all.filter { $0.object["x-extensible-enum"] != nil }
        #expect(lists.count == 11)
        for list in lists {
            #expect(list.object["type"] == "string" && list.object["enum"] == nil, "\(list.place)")
            let text = list.object["description"]?.string ?? ""
            #expect(text.hasSuffix("More values may be added."), "\(list.place)")
            let values = list.object["x-extensible-enum"]?.array?.compactMap(\.string) ?? []
            let isDescribed = values.allSatisfy(text.contains) || text.contains("x-problem-codes")
            #expect(!values.isEmpty && isDescribed, "\(list.place)")
        }
    }

    @Test("Each request body has an example, which its schema allows")
    func examples() throws {
        let bodies = document.operations.compactMap { $0.description["requestBody"]?.object }
        #expect(bodies.count > 8)
        for content in bodies.flatMap({ $0["content"]?.object?.members ?? [] }).compactMap(\.value.object) {
            let example = try #require(content["example"], "\(content)")
            let faults = SchemaValidator(document: document).faults(of: example, by: content["schema"] ?? true)
            #expect(faults == [], "\(content)")
            // A misspelt member would pass as an unknown one. Names of attributes are the operator's.
            guard let known = document.resolved(content["schema"])["properties"]?.object?.names else { continue }
            #expect(Set(known).isSuperset(of: example.object?.names ?? [""]), "\(content)")
        }
    }

    @Test("Objects and enumerations that clients name are components")
    func components() throws {
        let schemas = ["components", "schemas"]
        for node in all where node.path.count > 3 {
            let isObject = node.object["properties"] != nil
            #expect(!isObject || Array(node.path.prefix(2)) == schemas && node.path.count == 3, "\(node.place)")
        }
    }

    @Test(
        "Every reference leads to a component, and every component is used",
        arguments: [false, true])
    func references(_ isForClients: Bool) throws {
        let published = isForClients ? PublishedDocument.openAPIForClients : .openAPI
        let document = try APIDocument(parsing: published.bytes)
        let used = Set(nodes(in: .object(document.root), at: []).compactMap { $0.object["$ref"]?.string })
        for reference in used { #expect(document.component(reference) != nil, "\(reference)") }
        for kind in ["parameters", "headers", "responses", "schemas"] {
            for name in document.root["components"]?.object?[kind]?.object?.names ?? [] {
                #expect(used.contains("#/components/\(kind)/\(name)"), "\(kind) \(name)")
            }
        }
    }

    @Test("The document for clients has each operation that clients reach, unchanged, and no other")
    func clients() throws {
        let clients = try APIDocument(parsing: PublishedDocument.openAPIForClients.bytes)
        let reachable = document.operations.filter { !$0.isInternal && !$0.isForBrowsers && !$0.isForAdministrators }
        #expect(clients.operations.map(\.id) == reachable.map(\.id))
        #expect(clients.operations.map(\.description) == reachable.map(\.description))
        #expect(reachable.count == document.operations.count - 25)
        let tags = clients.root["tags"]?.array?.compactMap { $0.object?["name"] } ?? []
        #expect(
            Set(tags.map(\.description)).count == 4 && !tags.contains("On the machine")
                && !tags.contains("For browsers") && !tags.contains("For services")
                && !tags.contains("For administrators"))
        for name in ["Readiness", "Health", "Metrics", "UserForServices", "Introspection"] {
            #expect(clients.component("#/components/schemas/\(name)") == nil)
        }
        let schemes = clients.root["components"]?.object?["securitySchemes"]?.object?.names
        #expect(schemes == ["accessToken", "boundAccessToken"])
    }

    @Test("Answers list every member as required, so that an absent value is null")
    func required() throws {
        // Generators do not support oneOf. Of LinkResponse either the accounts are there, or the members of a login.
        let linkResponse = ["accounts", "accessToken", "refreshToken", "tokenType", "expiresIn", "isNewUser", "user"]
        // Of a token that is not active, nothing else is said.
        let introspection = [
            "iss", "aud", "sub", "client_id", "sid", "gen", "role", "auth_time", "iat", "exp", "jti", "token_type",
            "cnf", "acr", "amr", "attributes",
        ]
        let optional =
            [
                "Problem/reason", "Problem/errors", "Problem/ready", "Problem/parts", "PublicKey/y",
                "ServerMetadata/jwks_uri", "ServerMetadata/id_token_signing_alg_values_supported",
                "ServerMetadata/subject_types_supported", "ServerMetadata/token_endpoint",
                "ServerMetadata/token_endpoint_auth_methods_supported",
                "ServerMetadata/code_challenge_methods_supported",
                "ServerMetadata/authorization_response_iss_parameter_supported",
                "ServerMetadata/authorization_endpoints", "LoginResponse/knownAddress",
                "User/attributes",
                "WebLoginResponse/knownAddress", "Account/unprovenContact", "Problem/credentialId",
                "PasskeyEndpoints/enroll", "PasskeyEndpoints/manage",
            ] + introspection.map { "Introspection/\($0)" } + linkResponse.map { "LinkResponse/\($0)" }
        let answers = document.operations.flatMap { nodes(in: .object($0.responses), at: []) }
        var open = Set(answers.compactMap { $0.object["$ref"]?.string })
        var seen: Set<String> = []
        while let reference = open.popFirst() {
            guard seen.insert(reference).inserted, let component = document.component(reference) else { continue }
            open.formUnion(nodes(in: component, at: []).compactMap { $0.object["$ref"]?.string })
            let schema = reference.split(separator: "/").last ?? ""
            let required = component.object?["required"]?.array?.compactMap(\.string) ?? []
            let members = component.object?["properties"]?.object?.names ?? []
            for name in members where !optional.contains("\(schema)/\(name)") {
                #expect(required.contains(name), "\(schema) \(name)")
            }
        }
        #expect(seen.count > 20)
    }
}
