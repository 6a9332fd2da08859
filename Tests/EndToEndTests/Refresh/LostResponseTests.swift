import Foundation
import TestSupport
import Testing

@Suite("Lost refresh responses")
struct LostResponseTests {
    @Test("A client that loses a thousand responses keeps its session")
    func direct() throws {
        let installation = try FastCGIInstallation()
        var response = try installation.devLogin("lossy@example.com")
        for turn in 0..<1000 where response.status == 200 {
            let request = TestRequest.refresh(response.refreshToken)
            let unread = try installation.connect()
            try unread.send(FastCGIInstallation.bytes(of: request))
            // Half of the retries run concurrently with the request that they repeat.
            let comesFirst = turn.isMultiple(of: 2)
            if comesFirst { #expect(unread.hasSomethingToRead()) }
            response = try installation.send(request)
            if !comesFirst { #expect(unread.hasSomethingToRead()) }
        }
        #expect(response.status == 200)
        #expect(response.generation == 1001)
    }

    @Test("A client behind nginx that loses responses keeps its session")
    func behindNginx() throws {
        let installation = try #require(SharedInstallations.standard(.nginx) as? NginxInstallation)
        var response = try installation.devLogin("lossy-nginx@example.com")
        for _ in 0..<25 where response.status == 200 {
            let request = TestRequest.refresh(response.refreshToken)
            // curl closes the connection once it has read the length of the body.
            #expect(throws: Shell.Failure.self) { try installation.send(request, options: ["--max-filesize", "1"]) }
            response = try installation.send(request)
        }
        #expect(response.status == 200)
        #expect(response.generation == 26)
    }

    @Test("A client that loses a response to a kill gets the same successor")
    func killed() throws {
        let installation = try FastCGIInstallation()
        var response = try installation.devLogin("killed@example.com")
        for turn in 0..<4 {
            let request = TestRequest.refresh(response.refreshToken)
            // In every second round, the test knows the response that the client lost. In the
            // others, no response was sent.
            let lost = turn.isMultiple(of: 2) ? try installation.send(request) : nil
            let unread = try (0..<8).map { _ in try installation.connect() }
            for peer in unread { try peer.send(FastCGIInstallation.bytes(of: request)) }
            installation.process.signal(SIGKILL)
            #expect(installation.process.wait() == 128 + SIGKILL)
            try installation.restart()
            response = try installation.send(request)
            #expect(response.status == 200)
            if let lost { #expect(response.refreshToken == lost.refreshToken) }
        }
        #expect(response.generation == 5)
    }
}
