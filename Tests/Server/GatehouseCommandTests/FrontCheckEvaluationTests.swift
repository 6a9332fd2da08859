import Gatehouse
import POSIX
import Testing

@testable import GatehouseCommand
@testable import GatehouseServer
@testable import Processes

/// The evaluation of nginx, its certificate and the public address by `gatehouse check`.
@Suite("Checks of nginx, the certificate and the public address evaluate")
struct FrontCheckEvaluationTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private static func certificate(
        from start: Int64 = -86_400, to end: Int64 = 90 * 86_400, covers: Bool = true, isSelfSigned: Bool = false,
        _ fingerprint: UInt8 = 1
    ) -> ServedCertificate {
        ServedCertificate(
            notBefore: now + .seconds(start), notAfter: now + .seconds(end), coversHost: covers,
            isSelfSigned: isSelfSigned, fingerprint: [fingerprint])
    }

    private func evaluate(
        _ served: ServedCertificate?, rejection: String? = nil, inFile certificate: ServedCertificate? = nil,
        at path: String = "/etc/letsencrypt/live/a/fullchain.pem", answer: PublicProbe.Answer = .ours
    ) throws -> [Finding] {
        let inFile = certificate.map { CertificateFile(path: path, certificate: $0) }
        let address = try #require(PublicAddress("https://api.example.com"))
        let check = CertificateCheck(
            address: address, probe: PublicProbe(answer: answer, certificate: served), inFile: inFile)
        return check.evaluate(
            .init(served: served, rejection: rejection, inFile: inFile, now: Self.now))
    }

    @Test(
        "a certificate by its expiry",
        arguments: [
            (14 * 86_400, .ok, "valid until"), (14 * 86_400 - 1, .fault, "in 13 days"),
            (3 * 86_400, .fault, "in 3 days"), (0, .fault, "expired on"), (-86_400, .fault, "expired on"),
        ] as [(Int64, Finding.Grade, String)])
    func end(seconds: Int64, grade: Finding.Grade, words: String) throws {
        let findings = try evaluate(Self.certificate(from: -100 * 86_400, to: seconds))
        #expect(findings.map(\.grade) == [grade] && findings.first?.message.contains(words) == true)
        if grade == .fault {
            #expect(findings.first?.advice?.contains("certbot renew && systemctl reload nginx") == true)
        }
    }

    @Test("a certificate by its start, its host names and its presence")
    func flaws() throws {
        #expect(try evaluate(Self.certificate(from: 60)).map(\.grade) == [.fault])
        #expect(
            try evaluate(Self.certificate(covers: false)).first?.message.contains("not valid for api.example.com")
                == true)
        #expect(try evaluate(Self.certificate(to: 0, covers: false)).map(\.grade) == [.fault, .fault])
        #expect(try evaluate(nil, answer: .noTLS("x")).map(\.grade) == [.fault])
        // Without a connection, only the check of the address reports it.
        #expect(try evaluate(nil, answer: .noConnection("x")).map(\.grade) == [.note])
        #expect(try evaluate(Self.certificate(isSelfSigned: true), rejection: "x").map(\.grade) == [.ok, .note])
        #expect(try evaluate(Self.certificate(), rejection: "no issuer").last?.message.contains("no issuer") == true)
    }

    @Test(
        "a self-signed certificate by its issuer",
        arguments: [
            ("/etc/gatehouse/tls/self-signed.pem", "rm /etc/gatehouse/tls/self-signed.* && gatehouse-nginx"),
            ("/root/tls.pem", "certbot renew"), (nil, "certbot renew"),
        ] as [(String?, String)])
    func selfSigned(path: String?, advice: String) throws {
        let served = Self.certificate(to: 86_400, isSelfSigned: true)
        let findings = try path.map { try evaluate(served, inFile: served, at: $0) } ?? evaluate(served)
        #expect(findings.map(\.grade) == [.fault] && findings.first?.advice?.hasPrefix(advice) == true, "\(findings)")
    }

    @Test("a certificate by whether its file has a newer one")
    func reload() throws {
        let old = Self.certificate(to: 3 * 86_400)
        let renewed = try evaluate(old, inFile: Self.certificate(2))
        #expect(renewed.map(\.grade) == [.fault] && renewed.first?.advice == "systemctl reload nginx")
        #expect(try evaluate(old, inFile: old).first?.advice?.contains("certbot") == true)
        #expect(try evaluate(Self.certificate(), inFile: Self.certificate(2)).map(\.grade) == [.ok, .note])
        #expect(try evaluate(Self.certificate(), inFile: Self.certificate()).map(\.grade) == [.ok])
    }

    @Test(
        "the public address by the answer",
        arguments: [
            (.ours, .ok, ""), (.problem(status: 502, code: "bad_gateway"), .fault, "socket"),
            (.problem(status: 503, code: "storage_unavailable"), .fault, "server"),
            (.problem(status: 429, code: "too_many_requests"), .note, ""), (.other(status: 404), .fault, "SERVER_NAME"),
            (.other(status: 200), .fault, "SERVER_NAME"), (.noConnection("x"), .fault, "systemctl start nginx"),
            (.noTLS("x"), .fault, "nginx -t"), (.late("x"), .fault, "nginx"), (.unusable("x"), .fault, "nginx"),
        ] as [(PublicProbe.Answer, Finding.Grade, String)])
    func publicAddress(answer: PublicProbe.Answer, grade: Finding.Grade, advice: String) throws {
        let address = try #require(PublicAddress("https://api.example.com"))
        let finding = PublicAddressCheck(address: address, probe: PublicProbe(answer: answer, certificate: nil))
            .evaluate(
                answer)
        #expect(finding.grade == grade)
        #expect(grade != .fault || finding.advice?.contains(advice) == true)
    }

    @Test("a certificate that clients reject is no working public address", arguments: [(-1, true), (1, false)])
    func rejectedCertificate(days: Int64, coversHost: Bool) throws {
        let address = try #require(PublicAddress("https://api.example.com"))
        let now = Platform.system.now()
        let certificate = ServedCertificate(
            notBefore: now - .seconds(86_400 * 9), notAfter: now + .seconds(86_400 * days), coversHost: coversHost)
        let probe = PublicProbe(answer: .ours, certificate: certificate)
        #expect(PublicAddressCheck(address: address, probe: probe).run().map(\.grade) == [.fault])
    }

    private static let upstream = "# configuration file /etc/nginx/conf.d/gatehouse.conf:\nupstream gatehouse {\n}\n"
    private static let site = """
        # configuration file /etc/nginx/sites-enabled/gatehouse.conf:
            ssl_certificate /etc/gatehouse/tls/self-signed.pem;
            location /api/ {
                include snippets/gatehouse-api.conf;
            }

        """

    @Test(
        "nginx by its configuration",
        arguments: [
            (upstream + site, []), (site, ["no upstream gatehouse"]), (upstream, ["no site that passes /api/"]),
            ("", ["no upstream"]),
            (upstream.replacing("upstream", with: "# upstream") + site, ["no upstream gatehouse"]),
            (upstream + site.replacing("include", with: "#include"), ["no site"]),
            // The site for monitoring, the redirect and guarded sites do not serve the API.
            (upstream + site.replacing("gatehouse.conf", with: "gatehouse-local.conf"), ["no site"]),
            (upstream + site.replacing("gatehouse-api", with: "gatehouse-guard"), ["no site"]),
            (upstream + site.replacing("sites-enabled/gatehouse.conf", with: "snippets/x.conf"), ["no site"]),
            (upstream + site.replacing("sites-enabled/gatehouse.conf", with: "conf.d/own.conf"), []),
            (upstream.replacing(" gatehouse {", with: "\t gatehouse{") + site, []),
            (upstream + site.replacing("include ", with: "\tinclude\t"), []),
        ] as [(String, [String])])
    func nginx(dump: String, faults: [String]) {
        for isExpected in [true, false] {
            let check = NginxCheck(
                facts: .init(test: .success(.init(status: 0, output: dump))), isExpected: isExpected)
            let findings = check.run()
            let grade: Finding.Grade = faults.isEmpty ? .ok : isExpected ? .fault : .note
            #expect(findings.map(\.grade) == [grade], "\(findings)")
            for fault in faults { #expect(findings.contains { $0.message.contains(fault) }) }
        }
    }

    @Test("nginx by whether it is installed, runs, and accepts its configuration")
    func nginxState() {
        func grades(_ facts: NginxCheck.Facts, isExpected: Bool = true) -> [Finding.Grade] {
            NginxCheck(facts: facts, isExpected: isExpected).run().map(\.grade)
        }
        let good = Subprocess.Outcome(status: 0, output: Self.upstream + Self.site)
        let refused = Subprocess.Outcome(status: 1, errorOutput: "nginx: [warn] a\nnginx: [emerg] cannot load\nx")
        #expect(grades(.init(isInstalled: false, isRunning: false)) == [.fault])
        #expect(grades(.init(isInstalled: false, isRunning: false), isExpected: false) == [.note])
        #expect(grades(.init(isRunning: false, test: .success(good))) == [.fault])
        #expect(grades(.init(isRunning: false, test: .success(refused))) == [.fault, .fault])
        #expect(grades(.init(test: nil)) == [.ok, .note])
        let finding = NginxCheck(facts: .init(test: .success(refused)), isExpected: true).run().first
        #expect(finding?.message.hasSuffix("would not restart: cannot load") == true)
        let logged = Subprocess.Outcome(
            status: 1, errorOutput: "2026/11/22 13:49:14 [emerg] 10#10: cannot load\nnginx: x")
        let other = NginxCheck(facts: .init(test: .success(logged)), isExpected: true).run().first
        #expect(other?.message == finding?.message)
    }

    @Test(
        "an nginx that does not answer as a fault only if nginx is expected, with the reason",
        arguments: [true, false])
    func silentNginx(isExpected: Bool) {
        let late = POSIXError("run /usr/sbin/nginx", code: 110)
        let findings = NginxCheck(facts: .init(test: .failure(late)), isExpected: isExpected).run()
        #expect(findings.map(\.grade) == [isExpected ? .fault : .note])
        #expect(findings.first?.message == "its configuration was not checked: \(late)")
        #expect(findings.first?.advice == "nginx -t")
    }

    @Test("nginx's configuration by the certificates that the sites name")
    func certificates() {
        #expect(
            NginxConfiguration(dump: Self.upstream + Self.site).certificates == ["/etc/gatehouse/tls/self-signed.pem"])
        #expect(NginxConfiguration(dump: Self.site.replacing("gatehouse-api", with: "other")).certificates == [])
        // nginx accepts tabs, quotation marks, and paths relative to its folder.
        let other = Self.site.replacing(" /etc/gatehouse/tls/self-signed.pem", with: "\t'tls/a.pem' ")
        #expect(NginxConfiguration(dump: other).certificates == ["/etc/nginx/tls/a.pem"])
    }
}

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

@Suite("The check of the guard's headers")
struct GuardHeadersCheckTests {
    private static let nginx = NginxConfiguration(
        dump: """
            # configuration file /etc/nginx/snippets/gatehouse-guard.conf:
            proxy_set_header X-User-Attribute-tenant-id $gatehouse_attribute_tenant_id;
            proxy_set_header X-User-Attribute-roles $gatehouse_attribute_roles;
            # proxy_set_header X-User-Attribute-comment $gatehouse_attribute_comment;
            proxy_set_header X-User-Attribute-client $http_x_user_attribute_client;
            # configuration file /etc/nginx/gatehouse.d/edit.conf:
            location /edit/ {
                set $gatehouse_role EDITOR;
            }
            location /admin/ {
                set $gatehouse_role "ADMIN";
            }

            """)

    @Test(
        "a header that a client could send, and a role that does not exist, are faults",
        arguments: [
            (["tenant_id"], ["EDITOR"], []), ([], [], ["EDITOR"]), (["Tenant_ID"], ["EDITOR", "VIEWER"], []),
            (["plan"], ["EDITOR"], ["X-User-Attribute-Plan"]),
            (["comment", "client"], [], ["X-User-Attribute-Comment, X-User-Attribute-Client", "EDITOR"]),
        ] as [([String], [String], [String])])
    func compared(names: [String], roles: [String], faults: [String]) throws {
        for isExpected in [true, false] {
            let policy = AttributePolicy(listed: names, roles: roles)
            let findings = try #require(
                GuardHeadersCheck(policy: policy, nginx: Self.nginx, isExpected: isExpected)
            ).run()
            let grade = isExpected ? Finding.Grade.fault : .note
            #expect(findings.map(\.grade) == (faults.isEmpty ? [.ok] : faults.map { _ in grade }), "\(findings)")
            for (finding, fault) in zip(findings, faults) { #expect(finding.message.contains(fault)) }
        }
        #expect(GuardHeadersCheck(policy: nil, nginx: Self.nginx, isExpected: true) == nil)
    }
}
