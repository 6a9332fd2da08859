import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Lost refresh responses")
struct LostResponseTests {
    @Test("A client that loses a hundred responses keeps its session")
    func direct() throws {
        let server = try ServerProcess()
        var response = try server.devLogin("lossy@example.com")
        for turn in 0..<100 where response.status == 200 {
            let request = TestRequest.refresh(response.refreshToken)
            let unread = try server.connect()
            try unread.send(request.fastCGIBytes)
            // Half of the retries run concurrently with the request that they repeat.
            let comesFirst = turn.isMultiple(of: 2)
            if comesFirst { #expect(unread.hasSomethingToRead()) }
            response = try server.send(request)
            if !comesFirst { #expect(unread.hasSomethingToRead()) }
        }
        #expect(response.status == 200)
        #expect(response.generation == 101)
    }

    @Test("A client behind nginx that loses responses keeps its session")
    func behindNginx() throws {
        let server = try #require(SharedServers.standard(.nginx) as? ServerBehindNginx)
        var response = try server.devLogin("lossy-nginx@example.com")
        for _ in 0..<10 where response.status == 200 {
            let request = TestRequest.refresh(response.refreshToken)
            // curl closes the connection once it has read the length of the body.
            #expect(throws: Shell.Failure.self) { try server.send(request, options: ["--max-filesize", "1"]) }
            response = try server.send(request)
        }
        #expect(response.status == 200)
        #expect(response.generation == 11)
    }

    @Test("A client that loses a response to a kill gets the same successor")
    func killed() throws {
        let server = try ServerProcess()
        var response = try server.devLogin("killed@example.com")
        for turn in 0..<4 {
            let request = TestRequest.refresh(response.refreshToken)
            // In every second round, the test knows the response that the client lost. In the
            // others, no response was sent.
            let lost = turn.isMultiple(of: 2) ? try server.send(request) : nil
            let unread = try (0..<8).map { _ in try server.connect() }
            for peer in unread { try peer.send(request.fastCGIBytes) }
            server.process.signal(SIGKILL)
            #expect(server.process.wait() == 128 + SIGKILL)
            try server.restart()
            response = try server.send(request)
            #expect(response.status == 200)
            if let lost { #expect(response.refreshToken == lost.refreshToken) }
        }
        #expect(response.generation == 5)
    }
}
