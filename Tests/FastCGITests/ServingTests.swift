import FastCGI
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ServingTests {
    @Test("a request is answered, and the next one on the same connection", arguments: TestServer.Kind.allCases)
    func answers(_ kind: TestServer.Kind) throws {
        let server = try TestServer(kind)
        let peer = try server.connect()
        for body in ["", "a", "hello"] {
            let answer = try peer.exchange(Wire.request(id: 7, body: Array(body.utf8)))
            #expect(answer.text == TestServer.expected("/echo:" + body))
            #expect(answer.id == 7)
            #expect(answer.protocolStatus == 0)
        }
    }

    @Test("a request cut in two anywhere is answered", arguments: TestServer.Kind.allCases)
    func cutAnywhere(_ kind: TestServer.Kind) throws {
        let server = try TestServer(kind)
        let peer = try server.connect()
        let request = Wire.request(body: Array("some body".utf8), padding: 3)
        for cut in 1..<request.count {
            try peer.send(Array(request[..<cut]))
            pauseBriefly()
            #expect(try peer.exchange(Array(request[cut...])).text == TestServer.expected("/echo:some body"), "cut at \(cut)")
        }
    }
}
