import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("The providers over a connection")
struct ConnectionTests {
    @Test("a request that hangs is answered once the mode changes, and does not hinder others")
    func hang() throws {
        let server = try StandInServer()
        @Sendable func curl(_ path: String) -> [UInt8] {
            (try? Shell.run(["/usr/bin/curl", "--silent", "--max-time", "50", server.url(path)])) ?? []
        }
        _ = try server.control("/wechat/faults", ["mode": "hang"])
        let hanging = Background { curl("/wechat/sns/auth") }
        #expect(
            Eventually.holds {
                (try? server.control("/wechat/requests", method: "GET"))?["requests"]?.array?.isEmpty == false
            })
        #expect(String(decoding: curl("/qq/oauth2.0/me"), as: UTF8.self).hasPrefix("callback("))
        _ = try server.control("/wechat/faults", method: "DELETE")
        #expect(String(decoding: hanging.result(), as: UTF8.self).hasPrefix(#"{"errcode":41001,"#))
    }
}
