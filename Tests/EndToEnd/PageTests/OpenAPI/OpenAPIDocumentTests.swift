import Foundation
import Gatehouse
import JOSE
import JSON
import TestSupport
import Testing

@testable import GatehouseWeb
@testable import ServerSupport

/// Rules for the document as a whole.
@Suite("The contents of the OpenAPI document")
struct OpenAPIDocumentTests {
    private let document: APIDocument

    init() throws {
        document = try APIDocument.current.get()
    }

    @Test("It has the paths and methods of the router")
    func routes() throws {
        let documented = document.operations.map { "\($0.method) \($0.path)" }
        let routes = try InProcessServer().routes.map { "\($0.method.rawValue) \($0.path)" }
        #expect(documented.sorted() == routes.sorted())
    }

    @Test("Each operation has the security, the refusals and the body that its route states")
    func access() throws {
        let routes = try InProcessServer().routes
        for operation in document.operations {
            let name = "\(operation.method) \(operation.path)"
            let route = try #require(routes.first { "\($0.method.rawValue) \($0.path)" == name }, "\(name)")
            let security = operation.description["security"]?.array?.map { $0.object?.names ?? [] }
            #expect(security == route.access.security, "\(name)")
            var codes = Set(operation.problems.map(\.code)).intersection(Access.ownCodes)
            // What an administrator may do to whom is decided with the act.
            if route.access == .administrator { codes.remove("insufficient_role") }
            #expect(codes == route.access.codes, "\(name)")
            let body = operation.description["requestBody"]?.object
            #expect(body?["content"]?.object?.names ?? [] == route.bodyTypes.map(\.rawValue), "\(name)")
            #expect((body?["required"]?.bool ?? false) == route.needsBody, "\(name)")
        }
    }

    @Test("Its table of codes has every code that is listed, and no other")
    func codes() throws {
        let table = Set(document.root["x-problem-codes"]?.object?.names ?? [])
        let listed = document.operations.map(\.problems).reduce(document.problemsOfAnyRequest) { $0.union($1) }
        #expect(Set(listed.map(\.code)) == table.subtracting(["error"]))
        #expect(Set(enumeration(of: "ProblemCode")) == table)
        for entry in document.root["x-problem-codes"]?.object?.members ?? [] {
            #expect(entry.value.object?["when"]?.string?.isEmpty == false)
            let programs = entry.value.object?["from"]?.array ?? []
            #expect(!programs.isEmpty && programs.allSatisfy { ["gatehouse", "nginx"].contains($0) })
        }
    }

    @Test("It has the lists of values of the domain")
    func values() throws {
        let reasons = IdentityFault.Reason.allCases.map(\.rawValue) + DPoPFault.allCases.map(\.rawValue)
        let conflicts = LinkConflict.allCases.map(\.rawValue)
        let ofMerges = [MergeConflict.account(.dev), .status, .role, .guest].map(\.name) + ["last_account"]
        let ofPasskeys = PasskeyFault.all.map(\.reason)
        #expect(Set(enumeration(of: "ProblemReason")) == Set(reasons + conflicts + ofMerges + ofPasskeys))
        #expect(enumeration(of: "Role") == Role.allCases.map(\.rawValue))
        #expect(enumeration(of: "UserStatus") == UserStatus.allCases.map(\.rawValue))
        let providers = [Provider.dev, .apple, .phone, .email, .passkey, .guest]
        #expect(enumeration(of: "Provider") == providers.map(\.rawValue))
        #expect(enumeration(of: "EventActor") == AuditEntry.Actor.allCases.map(\.rawValue))
    }

    @Test("It has the limits of the request bodies")
    func limits() throws {
        // A longer token is refused by its verifier, also where the body may contain one.
        let token = CompactJWS.defaultMaximumBytes
        let limits = [
            "refreshToken": token, "payload": token,
            "authorizationCode": FieldLimit.authorizationCode, "userIdentifier": FieldLimit.identifier,
            "nonce": FieldLimit.nonce, "email": FieldLimit.email, "nickname": FieldLimit.name,
            "avatarUrl": FieldLimit.url, "devSecret": FieldLimit.secret,
        ]
        let bodies = document.operations.compactMap { $0.description["requestBody"] }.map { body in
            document.resolved(body.object?["content"]?.object?["application/json"]?.object?["schema"])
        }
        let members = bodies.flatMap { $0["properties"]?.object?.members ?? [] }
        for (name, schema) in members where limits[name] != nil {
            #expect(schema.object?["maxLength"]?.integer == limits[name].map(Int64.init), "\(name)")
        }
        #expect(Set(members.map(\.name)).isSuperset(of: limits.keys))
    }

    /// The values of an enumeration that clients must treat as open.
    private func enumeration(of schema: String) -> [String] {
        let values = document.component("#/components/schemas/\(schema)")?.object?["x-extensible-enum"]?.array
        return values?.compactMap(\.string) ?? []
    }
}

extension Access {
    /// The names of alternative security schemes, each with what it is combined with.
    fileprivate var security: [[String]] {
        let accessToken = [["accessToken"], ["boundAccessToken"]]
        switch self {
        case .open, .developer: return []
        case .service: return [["serviceToken"]]
        case .ending(.accessOrRefresh): return accessToken + [[]]
        case .ending(.access), .caller, .administrator: return accessToken
        }
    }

    /// What is refused by access, and by nothing else.
    fileprivate static let ownCodes: Set = [
        "dev_login_disabled", "invalid_service_token", "phone_required", "session_revoked", "login_too_old",
        "insufficient_role",
    ]

    fileprivate var codes: Set<String> {
        switch self {
        case .open, .ending(.accessOrRefresh): []
        case .developer: ["dev_login_disabled"]
        case .service: ["invalid_service_token"]
        case .ending(.access): ["session_revoked"]
        case .administrator: ["session_revoked", "login_too_old", "phone_required"]
        case .caller(.authenticated(let phone)), .caller(.change(let phone)): phone.codes.union(["session_revoked"])
        case .caller(.endingSession): ["session_revoked", "phone_required"]
        case .caller(.recentChange(let phone)): phone.codes.union(["session_revoked", "login_too_old"])
        case .caller(.guarded): ["session_revoked", "login_too_old", "insufficient_role", "phone_required"]
        }
    }
}

extension CallerAccess.Phone {
    fileprivate var codes: Set<String> { self == .notRequired ? [] : ["phone_required"] }
}
