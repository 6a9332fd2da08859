import DevelopmentHTTP
import Foundation
import TestSupport
import Testing

@testable import Console

@Suite("The files of the console's page")
struct PageFilesTests {
    private static let folder = Executable.root + "/deploy/console"

    /// Crashes if the folder is missing: without arguments, the tests below would not run.
    private static let names = try! FileManager.default.contentsOfDirectory(atPath: folder)

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8)
    }

    @Test("Each file is served with its type, and index.html as the folder", arguments: names)
    func served(name: String) throws {
        let reply = try #require(PageFiles(folder: Self.folder).reply(to: name))
        #expect(reply.body == Array(try text(name).utf8))
        let type = ["html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"]
        #expect(reply.contentType.hasPrefix(try #require(type[String(name.split(separator: ".")[1])])))
        #expect(PageFiles(folder: Self.folder).reply(to: "")?.contentType == "text/html; charset=utf-8")
    }

    @Test(
        "Any other name gets 404",
        arguments: [
            "../run", "../lib/packages", "..", ".", "main", "main.js/", "/etc/passwd", "MAIN.js", "main.js.map",
            "%2e%2e/run", "main.css", ".js", "icon.svg\0.js", "console/main.js",
        ])
    func refused(name: String) {
        #expect(PageFiles(folder: Self.folder).reply(to: name) == nil)
    }

    @Test("Neither a file in a folder below nor a name with other characters is served")
    func otherFiles() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("below"), withIntermediateDirectories: true)
        for name in ["below/inner.js", "Upper.js", "a b.js", "plain.js"] {
            try Data("text".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
            #expect((PageFiles(folder: folder.path).reply(to: name) != nil) == (name == "plain.js"), "\(name)")
        }
    }

    @Test("Without inline script or style, which default-src 'self' forbids")
    func inline() throws {
        let html = try text("index.html")
        #expect(html.matches(of: /<script/).count == 1 && html.contains(#"<script type="module" src="main.js">"#))
        #expect(html.firstMatch(of: /<style|\sstyle=|\son[a-z]+=|javascript:|https?:/.ignoresCase()) == nil)
    }

    @Test(
        "Text from outside never becomes HTML or code",
        arguments: names.filter { $0.hasSuffix(".js") })
    func noMarkup(name: String) throws {
        let forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|DOMParser|\.srcdoc/
        #expect(try text(name).firstMatch(of: forbidden) == nil)
    }
}
