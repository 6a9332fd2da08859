import TestSupport
import Testing

@testable import GatehouseServer
@testable import GatehouseWeb

@Suite("Metrics of requests")
struct RequestCountsTests {
    private let counts = RequestCounts(
        routes: [
            Route(.get, "/a", access: .open, { _, _ in .noContent }),
            Route(.post, "/a", access: .open, { _, _ in .noContent }),
            Route(.get, "/b/{id}", access: .open, { _, _ in .noContent }),
        ])

    private var lines: Set<String> {
        var text = Exposition()
        counts.write(to: &text)
        return Set(String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private func count(_ route: Int?, _ method: String, _ status: Int) {
        counts.begin()
        counts.end(route: route, method: method, status: status, nanoseconds: 1)
    }

    @Test("each request is counted by route, method and status")
    func labels() {
        count(0, "GET", 200)
        count(0, "GET", 200)
        count(1, "POST", 401)
        count(2, "HEAD", 204)
        count(nil, "GET", 404)
        let expected = [
            #"{route="/a",method="GET",status="200"} 2"#, #"{route="/a",method="POST",status="401"} 1"#,
            #"{route="/b/{id}",method="HEAD",status="204"} 1"#, #"{route="unknown",method="GET",status="404"} 1"#,
        ]
        for line in expected { #expect(lines.contains("gatehouse_http_requests_total" + line), "\(line)") }
        #expect(
            lines.contains(#"gatehouse_http_request_duration_seconds_count{route="unknown",method="OTHER"} 1"#))
    }

    @Test("each route has a 503 series at zero from the start, and no other")
    func zeros() {
        let written = lines.filter { $0.hasPrefix("gatehouse_http_requests_total{") }
        let labels = [#"route="/a",method="GET""#, #"route="/a",method="POST""#, #"route="/b/{id}",method="GET""#]
        #expect(written == Set(labels.map { "gatehouse_http_requests_total{\($0),status=\"503\"} 0" }))
    }

    @Test("methods and statuses that do not exist add no series")
    func bounds() {
        for method in ["GET", "get", "", "BREW", "GET ", "G\"}\n", String(repeating: "A", count: 5000)] {
            for status in [200, 299, 404, 599, 0, -1, .max] {
                for route in [0, 1, 2, nil] { count(route, method, status) }
            }
        }
        let written = lines.filter { $0.hasPrefix("gatehouse_http_requests_total{") }
        // Two paths and "unknown"; GET and OTHER; 200, 404 and other; and the initial 503 series.
        #expect(written.count <= 3 * (2 * 3) + 3)
        #expect(written.contains { $0.contains(#"method="OTHER",status="other""#) })
        #expect(!lines.contains { $0.contains("BREW") || $0.contains("AAAA") || $0.contains("599") })
    }

    @Test("concurrent requests are all counted, and none remains in flight")
    func concurrent() throws {
        _ = try Concurrently.run(8) { [counts] index in
            for _ in 0..<5000 {
                counts.begin()
                counts.end(route: index % 2, method: "GET", status: 200, nanoseconds: 1_000_000)
            }
        }
        #expect(lines.contains(#"gatehouse_http_requests_total{route="/a",method="GET",status="200"} 40000"#))
        #expect(lines.contains("gatehouse_http_requests_in_flight 0"))
        let name = "gatehouse_http_request_duration_seconds"
        #expect(lines.contains(name + #"_bucket{route="/a",method="GET",le="0.0005"} 0"#))
        #expect(lines.contains(name + #"_bucket{route="/a",method="GET",le="0.001"} 20000"#))
        #expect(lines.contains(name + #"_sum{route="/a",method="POST"} 20.0"#))
    }
}
