import Foundation
import JSON
import Testing

/// Compares a request and its response with the OpenAPI document, and says what the document does not allow.
struct ExchangeCheck {
    /// What answers a request, directly or for the responder behind it.
    enum Front {
        case responder
        case nginx
    }

    private let document: APIDocument
    private let front: Front

    init(_ document: APIDocument, through front: Front) {
        self.document = document
        self.front = front
    }

    /// The headers of the connection, which OpenAPI does not describe.
    private static let transport: Set<String> = [
        "connection", "content-length", "content-type", "date", "keep-alive", "server", "transfer-encoding",
    ]

    /// The headers for pages of other origins, which any answer may have (the Fetch standard).
    private static let crossOrigin: Set<String> = [
        "access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers", "vary",
    ]

    func faults(of request: TestRequest, _ response: TestResponse) -> [String] {
        // The answer to a browser's question before a request, which OpenAPI does not describe.
        if request.header("Access-Control-Request-Method") != nil, response.status == 204 { return [] }
        // A connection that was closed without an answer, or a provisional answer.
        guard response.status >= 200 else { return [] }
        let path = request.path.prefix { $0 != "?" }
        let candidates = document.operations(at: path)
        if candidates.isEmpty { return isForeign(path) ? [] : faults(ofAnyRequest: request, response) }
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let operation = candidates.first(where: { $0.method == method || $0.answersAnyMethod }) else {
            return faults(ofAnyRequest: request, response)
        }
        guard let description = operation.responses["\(response.status)"] else {
            return faults(ofProblem: response, to: request, of: operation)
        }
        return faults(of: response, to: request, by: document.resolved(description))
            + (response.status < 300 ? faultsOfAccepted(request, by: operation) : [])
    }

    /// Behind nginx there are locations of the operator, and paths that nginx normalises.
    private func isForeign(_ path: Substring) -> Bool {
        guard front == .nginx else { return false }
        return !path.hasPrefix("/api/") || path.contains("//") || path.contains("/.") || path.contains("%")
    }

    private func faults(ofAnyRequest request: TestRequest, _ response: TestResponse) -> [String] {
        let problem = document.component("#/components/responses/Problem")
        return faults(ofCode: response, in: document.problemsOfAnyRequest)
            + faults(of: response, to: request, by: problem?.object ?? [:])
    }

    private func faults(ofProblem response: TestResponse, to request: TestRequest, of operation: APIOperation)
        -> [String]
    {
        let general = problemsBeforeOperation
        // nginx answers in place of the responder with documents of its own.
        let isOfAnyRequest = general.contains { $0.status == response.status && $0.code == response.code }
        let description =
            isOfAnyRequest
            ? document.component("#/components/responses/Problem")?.object ?? [:]
            : document.resolved(operation.responses["default"])
        // An error of OAuth has no code of Gatehouse.
        let isOfOAuth = response.json["error"] != nil && description["content"]?.object?["application/json"] != nil
        return (isOfOAuth ? [] : faults(ofCode: response, in: operation.problems.union(general)))
            + faults(of: response, to: request, by: description)
    }

    /// What nginx may answer before a request reaches an operation.
    private var problemsBeforeOperation: Set<APIProblem> { front == .nginx ? document.problemsOfAnyRequest : [] }

    /// The answer to a HEAD has no code.
    private func faults(ofCode response: TestResponse, in listed: Set<APIProblem>) -> [String] {
        let isListed = listed.contains {
            $0.status == response.status && ($0.code == response.code || response.body.isEmpty && response.code == nil)
        }
        return isListed ? [] : ["the problem \(response.status) \(response.code ?? "without a code") is not listed"]
    }
}

// MARK: - Responses

extension ExchangeCheck {
    private func faults(of response: TestResponse, to request: TestRequest, by description: JSONObject) -> [String] {
        faults(ofHeaders: response, by: description["headers"]?.object ?? [:])
            + faults(ofContent: response, isHead: request.method == "HEAD", by: content(to: request, description))
    }

    /// The exchange answers a form of an OAuth library in OAuth's words, with the same content type.
    private func content(to request: TestRequest, _ description: JSONObject) -> JSONObject? {
        let isForm = request.header("Content-Type")?.hasPrefix("application/x-www-form-urlencoded") == true
        guard isForm, let schema = description["x-answer-to-form"] else { return description["content"]?.object }
        return ["application/json": ["schema": schema]]
    }

    private func faults(ofHeaders response: TestResponse, by headers: JSONObject) -> [String] {
        let listed = headers.members.map { (name: $0.name.lowercased(), header: document.resolved($0.value)) }
        let always = Self.transport.union(Self.crossOrigin)
        let additional = front == .nginx ? always.union(document.headersOfNginx) : always
        let known = additional.union(listed.map(\.name))
        // The header of an attribute has its name.
        let isAttribute = { (name: String) in
            known.contains("x-user-attribute-name") && name.hasPrefix("x-user-attribute-")
        }
        let unknown = response.headers.filter { !known.contains($0.name) && !isAttribute($0.name) }.map {
            "the header \($0.name) is not listed"
        }
        return unknown
            + listed.flatMap { name, header -> [String] in
                guard let value = response.header(name) else {
                    return header["required"] == true ? ["the header \(name) is missing"] : []
                }
                return validator.faults(of: .string(value), by: header["schema"] ?? true, at: name)
            }
    }

    private func faults(ofContent response: TestResponse, isHead: Bool, by content: JSONObject?) -> [String] {
        guard let content else {
            let type = response.header("content-type").map { ["the content type \($0) is not listed"] } ?? []
            return type + (response.body.isEmpty ? [] : ["a body is not listed"])
        }
        let type = response.header("content-type")?.prefix { $0 != ";" } ?? "none"
        guard let schema = content[String(type)]?.object?["schema"] else {
            return ["the content type \(type) is not listed"]
        }
        guard !isHead, type.hasSuffix("json") else { return [] }
        guard let value = try? JSONValue(parsing: response.body) else { return ["the body is not JSON"] }
        return validator.faults(of: value, by: schema)
    }

    private var validator: SchemaValidator { SchemaValidator(document: document) }
}

// MARK: - Accepted requests

extension ExchangeCheck {
    /// A request that was accepted is one that the document allows.
    private func faultsOfAccepted(_ request: TestRequest, by operation: APIOperation) -> [String] {
        let isAnonymous = operation.requiresAccessToken && request.header("Authorization") == nil
        return (isAnonymous ? ["a request without an access token was accepted"] : [])
            + faults(ofBody: request, by: operation).map { "the request was accepted, but \($0)" }
    }

    private func faults(ofBody request: TestRequest, by operation: APIOperation) -> [String] {
        // Where the document has no request body, a body is ignored.
        guard let description = operation.description["requestBody"]?.object else { return [] }
        if request.body.isEmpty { return description["required"] == true ? ["its body is missing"] : [] }
        let type = request.header("Content-Type")?.prefix { $0 != ";" }.lowercased() ?? "none"
        guard let schema = description["content"]?.object?[type]?.object?["schema"] else {
            return ["its content type \(type) is not listed"]
        }
        guard let value = type == "application/json" ? try? JSONValue(parsing: request.body) : Self.form(request.body)
        else { return ["its body is not \(type)"] }
        return validator.faults(of: value, by: schema)
    }

    private static func form(_ body: [UInt8]) -> JSONValue? {
        let pairs = String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ") }.map { $0.removingPercentEncoding ?? String($0) }
        }
        return .object(JSONObject(pairs.map { ($0[0], .string($0.count == 2 ? $0[1] : "")) }))
    }
}

// MARK: - All exchanges

extension TestResponse {
    /// The response, after a comparison of the exchange with the document. A difference fails the test.
    func checked(against request: TestRequest, through front: ExchangeCheck.Front) -> TestResponse {
        do {
            let faults = ExchangeCheck(try APIDocument.current.get(), through: front).faults(of: request, self)
            for fault in faults {
                Issue.record(
                    "openapi.json does not allow this: \(request.method) \(request.path) → \(status) \(code ?? ""): \(fault)"
                )
            }
        } catch {
            Issue.record(error)
        }
        return self
    }
}
