import Gatehouse
import Text

/// The page that a browser shows where a sign-in cannot go on, in English or Chinese. nginx has one like it. Its text is
/// Gatehouse's own: only in development it repeats an address of the request.
struct ErrorPage {
    let problem: Problem
    let request: Request
    let web: WebPolicy

    /// Colours of the example page.
    static let style = """
        :root{color-scheme:light dark;--page:#eef1f5;--card:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--accent:#0b57c4}\
        @media(prefers-color-scheme:dark){:root{--page:#0f1318;--card:#181d24;--text:#e6eaef;--soft:#9aa6b2;--line:#343c46;\
        --accent:#7ab3ff}}\
        body{margin:0 auto;max-width:34rem;padding:2rem 1rem;background:var(--page);color:var(--text);\
        font:16px/1.5 system-ui,sans-serif}\
        main{padding:1.4rem;background:var(--card);border:1px solid var(--line);border-radius:14px;overflow-wrap:anywhere}\
        h1{margin:0;font-size:1.35rem}a{color:var(--accent)}small,dt{color:var(--soft)}svg{fill:var(--accent)}
        """
    /// Permits this style, by its SHA-256, and nothing else.
    static let policy = """
        default-src 'none'; style-src 'sha256-0sXIWq/Mtz7wPQVZZmNe5jX959dzk3W2Yh47LmyGEUg='; frame-ancestors 'none'; base-uri 'none'; form-action 'none'
        """

    private static let icon = """
        <svg viewBox="0 0 32 32" width="40" height="40" aria-hidden="true"><path d="M4 29V14a12 12 0 0 1 24 0v15h-7V15a5 5 0 0 0-10 \
        0v14z"/></svg>
        """

    var html: String {
        let title = isChinese ? "无法继续登录" : "This sign-in cannot go on"
        let text = isChinese ? Self.chinese[problem.code] ?? "请求未被接受。请返回应用，重新登录。" : problem.entry.detail
        return """
            <!DOCTYPE html>
            <html lang="\(isChinese ? "zh" : "en")">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            <style>\(Self.style)</style>
            <main>
            \(Self.icon)
            <h1>\(title)</h1>
            <p>\(text)</p>
            \(addresses)
            \(waysBack)
            <p><small>\(problem.code), request \(request.id)</small></p>
            </main>
            </html>

            """
    }

    private static let chinese = [
        "invalid_redirect_uri": "缺少 redirect_uri，或者它不是此服务器 REDIRECT_URIS 中的地址。",
        "invalid_state": "这次登录已经完成，已超过十分钟，或者是在另一个浏览器中开始的。请返回应用，重新登录。",
        "unknown_provider": "此服务器没有配置这种登录方式。",
        "storage_unavailable": "数据库暂时不可用，请稍后再试。",
    ]

    /// Whether the client names Chinese before English. Browsers name the preferred language first.
    private var isChinese: Bool {
        let field = request.text(of: .acceptLanguage) ?? ""
        let tags = field.lowercased().split(separator: ",").map { $0.drop { $0 == " " } }
        return tags.first { $0.hasPrefix("zh") || $0.hasPrefix("en") }?.hasPrefix("zh") ?? false
    }

    /// Links to the pages at which sign-ins end, one for each host.
    private var waysBack: String {
        var hosts: [String] = []
        let links = web.redirectURIs.map(\.text).compactMap { address -> String? in
            let parts = AddressParts(address)
            let host = parts.host + (parts.port.isEmpty ? "" : ":" + parts.port)
            guard parts.scheme == "https" || parts.host == "localhost", !hosts.contains(host) else { return nil }
            hosts.append(host)
            return "<p><a href=\"\(escaped(address))\">\(isChinese ? "返回" : "Back to") \(escaped(host))</a></p>"
        }
        return links.joined(separator: "\n")
    }

    /// For the developer of an app: the address that came, the most similar one that is registered, and what differs.
    private var addresses: String {
        guard web.isDevelopment, problem == .refused(.invalidRedirectURI),
            request.path.suffix(6).elementsEqual("/start".utf8)
        else { return "" }
        let sent = (try? request.query().values(of: "redirect_uri")) ?? []
        let known = web.redirectURIs.map(\.text)
        guard sent.count == 1, !sent[0].isEmpty else {
            return "<p>redirect_uri came \(sent.count) times, or empty.</p>"
        }
        let came = AddressParts(sent[0])
        let nearest = known.map(AddressParts.init).max { came.similarity(to: $0) < came.similarity(to: $1) }
        return """
            <dl>
            <dt>came</dt><dd>\(escaped(sent[0]))</dd>
            <dt>differs</dt><dd>\(nearest.map { escaped(came.difference(from: $0)) } ?? "")</dd>
            <dt>configured</dt>\(known.map { "<dd>\(escaped($0))</dd>" }.joined())
            </dl>
            """
    }

    /// As text of a page, also in an attribute.
    private func escaped(_ text: String) -> String {
        let visible = text.unicodeScalars.map { $0.value >= 0x20 ? $0 : "\u{FFFD}" }
        return HTML.escape(String(String.UnicodeScalarView(visible)))
    }
}

/// The parts of an address, as far as it has them. It may be any text of a request.
struct AddressParts {
    private(set) var scheme = ""
    private(set) var host = ""
    private(set) var port = ""
    private(set) var path = ""

    init(_ text: String) {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        scheme = String(text[..<colon])
        let rest = text[colon...].dropFirst()
        let authority = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?#".contains($0) } : ""
        // An IPv6 address has colons.
        let end = authority.lastIndex { ":]".contains($0) }.flatMap { authority[$0] == ":" ? $0 : nil }
        host = String(authority[..<(end ?? authority.endIndex)])
        // A redirect address of the machine itself permits any port.
        let isLoopback = ["127.0.0.1", "[::1]"].contains(host)
        port = isLoopback ? "" : end.map { String(authority[$0...].dropFirst()) } ?? ""
        path = String(rest.hasPrefix("//") ? rest[authority.endIndex...] : rest)
    }

    private func compared(with other: Self) -> [(name: String, own: String, other: String)] {
        [
            ("scheme", scheme, other.scheme), ("host", host, other.host), ("port", port, other.port),
            ("path", path, other.path),
        ]
    }

    /// How many parts are equal.
    func similarity(to other: Self) -> Int { compared(with: other).count { $0.own == $0.other } }

    /// What differs first, for a developer.
    func difference(from other: Self) -> String {
        guard similarity(to: other) > 1 else { return "it resembles none of REDIRECT_URIS: add it there" }
        guard let (name, own, others) = compared(with: other).first(where: { $0.own != $0.other })
        else { return "nothing" }
        if own + "/" == others { return "the slash at the end is missing" }
        if own == others + "/" { return "the slash at the end is too much" }
        return "the \(name) is \(own.isEmpty ? "none" : own), not \(others.isEmpty ? "none" : others)"
    }
}

/// Answers that a browser shows or follows. They are neither kept, nor framed by other pages, and the address of the page is
/// not told to others, because it may contain a code.
extension Response {
    private static let browserHeaders = [
        Header("Referrer-Policy", "no-referrer"), Header("X-Frame-Options", "DENY"),
        Header("X-Content-Type-Options", "nosniff"),
    ]

    /// Sends the browser to another address, with a GET: after a 307, it would post the provider's form there once more. Nil for
    /// an address that is not safe to write.
    static func seeOther(_ address: String, headers: [Header?] = []) -> Response? {
        guard let location = Header("Location", checking: address) else { return nil }
        let policy = Header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
        return Response(status: 303, headers: [location, policy] + browserHeaders + headers.compactMap(\.self))
    }

    /// A page that says what is wrong.
    private static func page(_ page: ErrorPage) -> Response {
        let type = Header("Content-Type", "text/html; charset=utf-8")
        let policy = Header("Content-Security-Policy", checking: ErrorPage.policy)
        let headers = [type] + page.problem.headers() + browserHeaders + [policy].compactMap(\.self)
        return Response(status: page.problem.entry.status, headers: headers, body: Array(page.html.utf8))
    }

    /// The answer to a request that a browser has made for a page: an address of the app, or a page.
    static func toBrowser(_ problem: Problem, of request: Request, by policy: WebPolicy) -> Response {
        guard case .returned(let address, _, _) = problem, let response = seeOther(address) else {
            return page(ErrorPage(problem: problem, request: request, web: policy))
        }
        return response
    }
}
