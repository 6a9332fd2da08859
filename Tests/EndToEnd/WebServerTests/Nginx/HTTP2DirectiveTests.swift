import Foundation
import TestSupport
import Testing

@Suite("HTTP/2 in the configuration of nginx")
struct HTTP2DirectiveTests {
    @Test(
        "It is switched on in the one way that this version of nginx knows without a warning",
        arguments: [("1.22.1", false), ("1.25.0", false), ("1.25.1", true), ("1.30.0", true)])
    func version(version: String, hasDirective: Bool) throws {
        let folder = try TemporaryFolder()
        // Another process writes it: a child process of another test could inherit a descriptor that is open for writing.
        try Shell.run(
            ["sh", "-c", "cat >$0 && chmod +x $0", folder.file("nginx")],
            input: Array("#!/bin/sh\necho 'nginx version: nginx/\(version)' >&2\n".utf8))
        try Shell.run([
            "/usr/bin/env", "PATH=\(folder.path):/usr/bin:/bin", Executable.root + "/deploy/lib/render-nginx",
            folder.file("rendered"), Executable.root + "/nginx/local.values", "RESPONDER=unix:/nowhere.sock",
        ])
        let site = try String(contentsOfFile: folder.file("rendered/sites-enabled/gatehouse.conf"), encoding: .utf8)
        #expect(site.contains(" http2 on;") == hasDirective)
        #expect(site.contains(" ssl http2;") == !hasDirective)
    }
}
