import Testing

@testable import GatehouseCommand

@Suite("The check of CORS_ORIGINS")
struct PageOriginsCheckTests {
    private static let map = """
        # configuration file /etc/nginx/conf.d/gatehouse.conf:
        map $http_host $other {
            "~^\\Qhttps://no.example\\E\\z" $http_origin;
        }
        map $http_origin $gatehouse_cors_origin {
            default "";
            "~^\\Qhttps://app.example.com\\E\\z" $http_origin;
            # "~^\\Qhttps://comment.example.com\\E\\z" $http_origin;
            "~^\\Qhttp://localhost:3000\\E\\z" $http_origin;
        }
        map $x $y {
            "~^\\Qhttps://later.example.com\\E\\z" $http_origin;
        }

        """

    @Test("reads the origins of nginx's configuration")
    func read() {
        let configuration = NginxConfiguration(dump: Self.map)
        #expect(configuration.corsOrigins == ["https://app.example.com", "http://localhost:3000"])
        let empty = "# configuration file /a:\nmap $http_origin $gatehouse_cors_origin {\n    default \"\";\n}\n"
        #expect(NginxConfiguration(dump: empty).corsOrigins == [])
        #expect(NginxConfiguration(dump: "# configuration file /a:\nupstream gatehouse {\n}\n").corsOrigins == nil)
    }

    @Test(
        "reports each origin that only one of the two lists has",
        arguments: [
            ([], [], []), (["https://a.example"], ["https://a.example"], []),
            (["https://a.example", "https://b.example"], ["https://b.example", "https://a.example"], []),
            (["https://a.example"], [], ["nginx lacks it"]), ([], ["https://a.example"], ["Gatehouse lacks it"]),
            (["https://a.example", "https://b.example"], [], ["https://a.example, https://b.example"]),
            (["https://a.example"], ["https://b.example"], ["nginx lacks it", "Gatehouse lacks it"]),
            (["https://a.example"], ["https://a.example:8443"], ["nginx lacks it", "Gatehouse lacks it"]),
        ] as [([String], [String], [String])])
    func compared(gatehouse: [String], nginx: [String], faults: [String]) throws {
        for isExpected in [true, false] {
            let findings = try #require(
                PageOriginsCheck(gatehouse: gatehouse, nginx: nginx, isExpected: isExpected)
            ).run()
            if faults.isEmpty {
                #expect(findings.map(\.grade) == [.ok])
            } else {
                #expect(findings.map(\.grade) == faults.map { _ in isExpected ? .fault : .note }, "\(findings)")
                for (finding, fault) in zip(findings, faults) { #expect(finding.message.contains(fault)) }
            }
        }
    }

    @Test("names the command that adds what nginx lacks")
    func advice() throws {
        let check = try #require(
            PageOriginsCheck(
                gatehouse: ["https://a.example", "https://b.example"], nginx: ["https://a.example"], isExpected: true))
        #expect(
            check.run().first?.advice
                == "set CORS_ORIGINS=https://a.example,https://b.example in /etc/gatehouse/nginx.values; then: gatehouse-nginx"
        )
    }
}
