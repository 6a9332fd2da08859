import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// `gatehouse-example` shows what an app does, so it must work against what `deploy/run` starts.
@Suite("gatehouse-example")
struct ExampleProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs it in the temporary folder.
    private func run(_ options: String...) throws -> Shell.Outcome { try run(options) }

    private func run(_ options: [String]) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", folder.path, Executable.example] + options)
    }

    @Test("It signs in, survives a lost answer and signs out; a kept session is there in the next run")
    func developmentServer() throws {
        let server = try DevelopmentServer()
        let addresses = [
            "--url", "https://localhost:\(server.port)", "--apple-url", "http://127.0.0.1:\(server.applePort)",
        ]
        let store = folder.file("session.json")

        let untrusted = try run(addresses)
        #expect(untrusted.status == 3 && untrusted.errorOutput.contains("give --ca FILE"), "\(untrusted.errorOutput)")

        // It finds the certificate in the folder where deploy/run was started.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(".run"), withDestinationPath: server.data)
        let first = try run(addresses + ["--store", store, "--keep"])
        #expect(first.status == 0 && first.errorOutput == "", "\(first.errorOutput)")
        #expect(first.text.contains("a new user"))
        expectLostAnswer(first.text)
        #expect(!first.text.contains("/api/auth/logout"))
        try expectNoToken(of: store, in: first.text)

        let second = try run(
            addresses + ["--ca", server.data + "/nginx/ca.pem", "--store", store])
        #expect(second.status == 0 && second.errorOutput == "", "\(second.errorOutput)")
        #expect(second.text.contains("is still signed in") && !second.text.contains("/api/auth/apple"))
        expectLostAnswer(second.text)
        #expect(second.text.hasSuffix("POST /api/auth/logout -> 204\n   the server has ended the session\n"))

        let third = try run(addresses + ["--store", store])
        #expect(third.status == 0 && third.text.contains("who has signed in before"), "\(third.errorOutput)")
    }

    @Test("With --web, it waits at a loopback address for the answer of a browser, and is not misled by another page")
    func web() throws {
        let server = try DevelopmentServer()
        let program = try ChildProcess(
            [
                Executable.example, "--web", "acme", "--url", "https://localhost:\(server.port)", "--ca",
                server.data + "/nginx/ca.pem",
            ], environment: [:], log: folder.file("log"))
        defer { program.stop() }
        let address = /https:\/\/\S+\/start\?redirect_uri=(\S+?)&\S+/
        #expect(Eventually.holds { program.log.firstMatch(of: address) != nil }, "\(program.log)")
        let match = try #require(program.log.firstMatch(of: address))
        let redirectURI = try #require(String(match.output.1).removingPercentEncoding)

        #expect(try server.ask(redirectURI + "?code=c&state=s").status == 200)
        #expect(try server.ask(redirectURI.replacing("/signed-in", with: "/favicon.ico")).status == 404)
        let jar = ["--cookie", folder.file("jar"), "--cookie-jar", folder.file("jar")]
        let page = try location(server, String(match.output.0), jar)
        let callback = try location(server, page, jar + ["--data", "action=continue&user=ann%40example.com"])
        let end = try server.ask(location(server, callback, jar))
        #expect(end.status == 200 && String(decoding: end.body, as: UTF8.self).contains("Go back to the terminal"))

        #expect(Eventually.holds { program.exitStatus != nil }, "\(program.log)")
        #expect(program.exitStatus == 0, "\(program.log)")
        #expect(program.log.contains("the answer is still awaited") && program.log.contains("a new user"))
        #expect(program.log.contains("the server has ended the session"))
        // No token is printed. The address has random parts, which may look like one.
        #expect(program.log.replacing(address, with: "").firstMatch(of: /ey[\w-]{10}/) == nil)
    }

    private func location(_ server: DevelopmentServer, _ address: String, _ options: [String]) throws -> String {
        let answer = try server.ask(address, options)
        #expect(answer.status == 303, "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        return try #require(answer.header("location"))
    }

    private func expectLostAnswer(_ page: String) {
        let lines = page.split(separator: "\n")
        let lost = lines.firstIndex {
            $0.contains("/api/auth/refresh -> the server answers 200, and the network loses")
        }
        let next = lost.map { lines[lines.index(after: $0)] }
        #expect(
            next?.hasSuffix("/api/auth/refresh -> 200, with the refresh token of the lost answer") == true, "\(page)")
        #expect(lines.filter { $0.contains("GET /api/users/me -> 200") }.count == 2, "\(page)")
    }

    private func expectNoToken(of store: String, in page: String) throws {
        let tokens = try String(contentsOfFile: store, encoding: .utf8).matches(of: /ey[\w-]+\.[\w-]+\.[\w-]+/)
        #expect(tokens.count == 2)
        for token in tokens { #expect(!page.contains(token.output)) }
        #expect(page.firstMatch(of: /ey[\w-]{10}/) == nil)
    }

    @Test("A login that the server refuses is exit status 1, with the reason")
    func refused() throws {
        let nginx = try #require(try SharedServers.standard(.nginx) as? ServerBehindNginx)
        let port = try FreePort.any()
        let otherApple = try ChildProcess(
            [Executable.standIn, "serve", "--port", "\(port)", "--keys", folder.file("apple")],
            environment: ["APPLE_BUNDLE_ID": "com.example.other"], log: folder.file("log"))
        defer { otherApple.stop() }
        let address = "http://127.0.0.1:\(port)"
        let isAnswering = Eventually.holds(within: 60) {
            (try? Shell.run(["curl", "-sf", "--noproxy", "*", address + "/auth/keys"])) != nil
        }
        try #require(isAnswering, "\(otherApple.log)")
        let outcome = try run(
            "--ca", nginx.certificate, "--url", "https://localhost:\(nginx.port)", "--apple-url", address)
        #expect(outcome.status == 1, "\(outcome.errorOutput)")
        #expect(outcome.errorOutput.contains("401 invalid_apple_token (audience)"), "\(outcome.errorOutput)")
    }

    @Test("Where no server answers, it says how to start one")
    func noServer() throws {
        let outcome = try run("--url", "https://localhost:\(try FreePort.any())")
        #expect(outcome.status == 3)
        #expect(outcome.errorOutput.contains("does not answer: start ./deploy/run"), "\(outcome.errorOutput)")
    }

    @Test(
        "Wrong usage is exit status 2",
        arguments: [
            (["--keep"], "--keep needs --store"), (["--url"], "--url needs a value"),
            (["--url", "localhost:8443"], "--url must be a URL"), (["--ca", "missing.pem"], "no readable file"),
            (["--url", "https://localhost:8443/api/"], "--url: The URL of the server must have no /api"),
            (["--verbose"], "unknown argument --verbose"),
        ])
    func wrongUsage(options: [String], message: String) throws {
        let outcome = try Shell.outcome(of: [Executable.example] + options)
        #expect(outcome.status == 2 && outcome.text == "")
        #expect(outcome.errorOutput.hasPrefix("gatehouse-example: ") && outcome.errorOutput.contains(message))
    }

    @Test("--help lists each option")
    func help() throws {
        let outcome = try run("--help")
        #expect(outcome.status == 0 && outcome.errorOutput == "")
        for option in ["--url", "--apple-url", "--ca", "--web", "--store", "--keep", "--help"] {
            #expect(outcome.text.contains("\n  \(option) "), "\(option)")
        }
    }
}
