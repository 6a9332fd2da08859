import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The OpenAPI document")
struct OpenAPIEndpointTests {
    private static let path = "/api/openapi.json"
    private static let environments = [TestEnvironment.handler, .nginx]

    @Test(
        "It is served as the command prints it, with the version of the program, and may be cached",
        arguments: environments,
        [(path, []), ("/api/openapi-clients.json", ["--clients"])] as [(path: String, options: [String])])
    func served(_ environment: TestEnvironment, _ document: (path: String, options: [String])) throws {
        let response = try SharedServers.standard(environment).send(.get(document.path))
        #expect(response.status == 200)
        #expect(response.header("content-type") == "application/json")
        #expect(response.header("cache-control") == "public, max-age=300")
        #expect(response["openapi"]?.string == "3.1.0")
        let version = try String(decoding: Shell.run([Executable.gatehouse, "version"]), as: UTF8.self)
        #expect("gatehouse \(response["info"]?.object?["version"]?.string ?? "")\n" == version)
        #expect(try Shell.run([Executable.gatehouse, "openapi"] + document.options) == response.body)
    }

    @Test("A client with a copy gets 304, and HEAD is answered as GET", arguments: environments)
    func conditional(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let whole = try server.send(.get(Self.path))
        let tag = try #require(whole.header("etag"))
        for method in ["GET", "HEAD"] {
            func ask(_ tags: String) throws -> TestResponse {
                let headers = [(name: "If-None-Match", value: tags)]
                return try server.send(TestRequest(method: method, path: Self.path, headers: headers))
            }
            #expect(try ask(tag).status == 304)
            let other = try ask("\"other\"")
            #expect(other.status == 200)
            for name in ["etag", "content-length", "content-type", "cache-control"] {
                #expect(other.header(name) == whole.header(name))
            }
        }
        let refused = try server.send(TestRequest(method: "POST", path: Self.path))
        #expect(refused.code == "method_not_allowed" && refused.header("allow") == "GET, HEAD")
    }
}
