import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The OpenAPI document")
struct OpenAPIEndpointTests {
    private static let path = "/api/openapi.json"
    private static let clientsPath = "/api/openapi-clients.json"

    @Test(
        "It is served with the version of the program, and may be cached", arguments: TestEnvironment.allCases,
        [path, clientsPath])
    func served(_ environment: TestEnvironment, _ path: String) throws {
        let response = try SharedServers.standard(environment).send(.get(path))
        #expect(response.status == 200)
        #expect(response.header("content-type") == "application/json")
        #expect(response.header("cache-control") == "public, max-age=300")
        #expect(response["openapi"]?.string == "3.1.0")
        let version = try String(decoding: Shell.run([Executable.gatehouse, "version"]), as: UTF8.self)
        #expect("gatehouse \(response["info"]?.object?["version"]?.string ?? "")\n" == version)
    }

    @Test("A client with a copy gets 304, and HEAD is answered as GET", arguments: TestEnvironment.allCases)
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

    @Test("The command prints the same bytes", arguments: TestEnvironment.allCases)
    func command(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        #expect(try Shell.run([Executable.gatehouse, "openapi"]) == server.send(.get(Self.path)).body)
        let clients = try Shell.run([Executable.gatehouse, "openapi", "--clients"])
        #expect(try clients == server.send(.get(Self.clientsPath)).body)
    }
}
