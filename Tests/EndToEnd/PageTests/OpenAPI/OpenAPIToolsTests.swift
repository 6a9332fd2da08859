import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Tools of other authors, from PyPI.
@Suite(
    "Tools that read the OpenAPI document", .needs(.openAPITools),
    .enabled(
        if: OpenAPITool.arePresent,
        "there is no .build/python/bin/schemathesis: deploy/lib/packages test-all gets it from PyPI"))
struct OpenAPIToolsTests {
    @Test("openapi-spec-validator accepts it")
    func valid() throws {
        let folder = try TemporaryFolder()
        let document = folder.file("openapi.json")
        try Data(Shell.run([Executable.gatehouse, "openapi"])).write(to: URL(fileURLWithPath: document))
        let outcome = try Shell.outcome(of: [OpenAPITool.validator.program, document])
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
    }

    @Test("A client that openapi-python-client generates signs in, and reads users, sessions and problems")
    func generatedClient() throws {
        let server = try ServerBehindNginx()
        let (document, options) = (server.folder.file("clients.json"), server.folder.file("options.yml"))
        let bytes = try server.send(.get("/api/openapi-clients.json")).body
        try Data(bytes).write(to: URL(fileURLWithPath: document))
        // By default it calls a formatter.
        try "post_hooks: []".write(toFile: options, atomically: true, encoding: .utf8)
        let generation = try Shell.outcome(of: [
            OpenAPITool.clientGenerator.program, "generate", "--path", document, "--config", options, "--meta", "none",
            "--output-path", server.folder.file("generated_client"), "--fail-on-warning",
        ])
        #expect(generation.status == 0, "\(generation.text)\(generation.errorOutput)")
        let script = Executable.root + "/Tests/EndToEnd/Scripts/use-generated-client.py"
        let outcome = try Shell.outcome(
            of: [
                "env", "PYTHONPATH=" + server.folder.path, OpenAPITool.python, script,
                "https://localhost:\(server.port)", server.certificate,
            ], input: server.apple.login("generated").bytes)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
        #expect(outcome.text == "'USER' ACTIVE APPLE Ada invalid_access_token 204\n")
    }

    /// Operations after which the access token of the test is refused.
    private static let endings = ["deleteUser", "logOut", "logOutEverywhere", "endSession"]

    @Test(
        "schemathesis finds no answer that differs from it",
        arguments: [endings.map { ["--exclude-operation-id", $0] }, endings.map { ["--include-operation-id", $0] }])
    func generated(_ selection: [[String]]) throws {
        let rates = ["LOGIN", "AUTH", "API"].map { ("\($0)_RATE", "10000r/s") }
        let server = try ServerBehindNginx(values: Dictionary(uniqueKeysWithValues: rates))
        let token = try server.devLogin("generated@example.com").accessToken
        let command =
            [
                // It writes files into its current folder.
                "env", "--chdir", server.folder.path, "timeout", "300", OpenAPITool.schemathesis.program, "run",
                "https://localhost:\(server.port)/api/openapi.json", "--tls-verify", server.certificate,
                "--header", "Authorization: Bearer " + token, "--exclude-tag", "On the machine", "--max-examples", "5",
                "--seed", "1", "--continue-on-failure", "--no-color", "--generation-database", "none", "--checks",
                "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
                    + "response_schema_conformance",
            ] + selection.joined()
        let outcome = try Shell.outcome(of: command)
        #expect(outcome.status == 0, "\(outcome.text.suffix(4000))\(outcome.errorOutput)")
        #expect(outcome.text.contains("passed"))
    }
}
