import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// deploy/lib/site, on the pages of this checkout. Everything that it writes is there without a server.
@Suite("The documentation as a site")
struct SiteTests {
    private static let site = Result {
        let folder = try TemporaryFolder()
        try Shell.run([Executable.root + "/deploy/lib/site", folder.file("site")])
        return folder
    }

    private let folder: String

    init() throws { folder = try Self.site.get().file("site") }

    private func pages() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".html") }
    }

    private func text(_ page: String) throws -> String {
        try String(contentsOfFile: folder + "/" + page, encoding: .utf8)
    }

    @Test("each page of the catalogue is there, and each link leads to a page and a heading of the site")
    func links() throws {
        let pages = try pages()
        let sources = try FileManager.default.subpathsOfDirectory(
            atPath: Executable.root + "/Sources/Server/Gatehouse/Gatehouse.docc"
        ).filter { $0.hasSuffix(".md") && $0 != "Gatehouse.md" }.map { String($0.dropLast(2)) + "html" }
        #expect(Set(sources + ["index.html", "README.html", "nginx.html", "systemd.html"]).isSubset(of: pages))
        var (texts, count) = ([String: String](), 0)
        for page in pages { texts[page] = try text(page) }
        for (page, text) in texts {
            for link in text.matches(of: /(?:href|src)="([^"#:]*)(?:#([^"]*))?"/) {
                let base = URL(fileURLWithPath: "/" + page)
                let target =
                    link.1.isEmpty
                    ? page : String(URL(fileURLWithPath: String(link.1), relativeTo: base).path.dropFirst())
                count += 1
                guard target.hasSuffix(".html") else {
                    #expect(FileManager.default.fileExists(atPath: folder + "/" + target), "\(page): \(link.0)")
                    continue
                }
                let anchor = link.2.map { "id=\"\($0)\"" } ?? ""
                #expect(texts[target].map { anchor.isEmpty || $0.contains(anchor) } == true, "\(page): \(link.0)")
            }
        }
        #expect(count > 1000)
    }

    @Test("no page loads anything from elsewhere, and none contains a script or a style that its policy does not name")
    func policy() throws {
        for page in try pages() {
            let text = try text(page)
            #expect(text.contains("content=\"default-src 'none'; style-src 'sha256-"), "\(page)")
            #expect(!text.contains("<script src=\"http") && !text.contains(/<(img|iframe|link|form)\b/), "\(page)")
        }
    }

    @Test("the search has an entry for each section, with an address of the site")
    func index() throws {
        let script = try text("search-index.js")
        let start = try #require(script.firstIndex(of: "["))
        let sections = try JSONDecoder().decode([[String]].self, from: Data(script[start...].utf8))
        #expect(sections.count > 500 && sections.allSatisfy { $0.count == 4 })
        let rotation = try #require(sections.first { $0[0] == "Configuration.html#keys" })
        #expect(rotation[1] == "Configuration" && rotation[2] == "Keys" && rotation[3].contains("JWT_REFRESH_SECRET"))
        let pages = Set(try pages())
        #expect(sections.allSatisfy { pages.contains(String($0[0].prefix { $0 != "#" })) })
    }
}
