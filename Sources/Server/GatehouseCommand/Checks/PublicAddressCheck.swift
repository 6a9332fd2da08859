import FileSystem
import Gatehouse
import GatehouseServer

/// Whether a request to the public address reaches this server through nginx.
struct PublicAddressCheck: Check {
    let subject = "public address"
    let address: PublicAddress
    let probe: PublicProbe

    func run() -> [Finding] { [evaluate(probe.answer)] }

    /// Whether clients reject the certificate for its dates or its host, even if they trust its issuer.
    private var isRejected: Bool {
        guard let certificate = probe.certificate else { return false }
        let now = Platform.system.now()
        return certificate.notAfter <= now || now < certificate.notBefore || !certificate.coversHost
    }

    func evaluate(_ answer: PublicProbe.Answer) -> Finding {
        switch answer {
        case .ours where isRejected:
            return .fault(
                "this server answers at \(address), but clients reject its certificate",
                "see certificate in this report")
        case .ours: return .ok("this server answers at \(address)")
        case .problem(502, _), .problem(504, _):
            return fault(answer, "nginx cannot reach the server: see units, socket and server in this report")
        case _ where answer.isReached:
            return .note("\(address): \(answer.summary): nginx limits the requests of this machine")
        case .problem: return fault(answer, "see server in this report; journalctl -u gatehouse -p warning -n 20")
        case .other:
            return fault(
                answer,
                "another site has this name or port: nginx -T | grep -n server_name; set SERVER_NAME in "
                    + "/etc/gatehouse/nginx.values to \(address.host); then: gatehouse-nginx")
        case .noConnection:
            return fault(
                answer,
                "systemctl start nginx; ss -ltn 'sport = :\(address.port)'; if another machine terminates TLS, set PUBLIC_URL=off"
            )
        case .noTLS: return fault(answer, "nginx -t; see certificate in this report")
        case .late, .unusable: return fault(answer, "systemctl status nginx; tail /var/log/nginx/error.log")
        }
    }

    private func fault(_ answer: PublicProbe.Answer, _ advice: String) -> Finding {
        .fault("\(address): \(answer.summary)", advice)
    }
}

/// Reports that the public address and its certificate are not checked, because PUBLIC_URL is not set.
struct UnknownPublicAddressCheck: Check {
    let subject = "public address"

    func run() -> [Finding] {
        [
            .note(
                "not checked, nor is the certificate, and proofs of bound sessions are compared with the Host of each request: "
                    + "PUBLIC_URL is not set",
                "gatehouse-nginx sets it, except with TLS=balancer, PROXY_PROTOCOL=on or a LISTEN_HTTPS without a loopback "
                    + "address: then set PUBLIC_URL=https://… in /etc/gatehouse/gatehouse.conf if this machine can reach "
                    + "nginx there, and PUBLIC_URL=off otherwise")
        ]
    }
}

/// The checks of nginx, its certificate and the public address.
struct FrontChecks {
    private let setting: PublicAddressSetting
    /// Nil without the package, whose nginx configuration is then not used.
    private let nginx: NginxCheck?
    /// The certificates in the files that the sites name, if this user may read them.
    private let certificates: [CertificateFile]
    /// Nil without both lists.
    private let pageOrigins: PageOriginsCheck?
    /// The same.
    private let guardHeaders: GuardHeadersCheck?
    private let hasUnits: Bool

    /// Reads what only root may read. Must be called before root is given up.
    init(survey: ConfigurationSurvey, processes: NginxProcesses, hasUnits: Bool) {
        setting = survey.publicAddress
        self.hasUnits = hasUnits
        nginx = hasUnits ? NginxCheck(processes: processes, isExpected: survey.publicAddress != .off) : nil
        pageOrigins = PageOriginsCheck(
            gatehouse: survey.web?.corsOrigins, nginx: nginx?.configuration?.corsOrigins,
            isExpected: survey.publicAddress != .off)
        guardHeaders = GuardHeadersCheck(
            policy: survey.attributes, nginx: nginx?.configuration, isExpected: survey.publicAddress != .off)
        let host = survey.publicAddress.address?.host ?? ""
        certificates = (nginx?.configuration?.certificates ?? []).compactMap { path in
            guard let bytes = try? File.readRegular(path) else { return nil }
            return ServedCertificate(pem: String(decoding: bytes, as: UTF8.self), host: host)
                .map { CertificateFile(path: path, certificate: $0) }
        }
    }

    func run() -> [(subject: String, finding: Finding)] {
        let front = (nginx?.report() ?? []) + (pageOrigins?.report() ?? []) + (guardHeaders?.report() ?? [])
        switch setting {
        case .off: return front
        case .unknown: return front + (hasUnits ? UnknownPublicAddressCheck().report() : [])
        case .address(let address):
            let probe = PublicProbe(asking: address)
            return front
                + CertificateCheck(address: address, probe: probe, inFile: inFile(for: probe.certificate)).report()
                + PublicAddressCheck(address: address, probe: probe).report()
        }
    }

    /// A site may have several certificates: prefers the served one, then one for the host.
    private func inFile(for served: ServedCertificate?) -> CertificateFile? {
        certificates.first { file in served.map(file.certificate.isSame) ?? false }
            ?? certificates.first(where: \.certificate.coversHost)
    }
}

/// Whether Gatehouse and nginx let the pages of the same origins call them: each has a list CORS_ORIGINS of its own.
struct PageOriginsCheck: Check {
    let subject = "page origins"
    /// In the settings.
    let gatehouse: [String]
    /// In nginx's configuration, which `gatehouse-nginx` renders from `nginx.values`.
    let nginx: [String]
    /// False with `PUBLIC_URL=off`: another web server is in front.
    let isExpected: Bool

    /// Nil if one of the lists is not known.
    init?(gatehouse: [String]?, nginx: [String]?, isExpected: Bool) {
        guard let gatehouse, let nginx else { return nil }
        (self.gatehouse, self.nginx, self.isExpected) = (gatehouse, nginx, isExpected)
    }

    func run() -> [Finding] {
        let absent = gatehouse.filter { !nginx.contains($0) }
        let unknown = nginx.filter { !gatehouse.contains($0) }
        if absent.isEmpty, unknown.isEmpty {
            return [.ok(gatehouse.isEmpty ? "no page of another origin may call the API" : Self.list(gatehouse))]
        }
        return (absent.isEmpty ? [] : [absentInNginx(absent)]) + (unknown.isEmpty ? [] : [unknownToGatehouse(unknown)])
    }

    /// The API works for these pages, and guarded locations do not.
    private func absentInNginx(_ origins: [String]) -> Finding {
        let message =
            "pages of \(Self.list(origins)) may call the API, but not guarded locations, and cannot read nginx's own errors: "
            + "CORS_ORIGINS of nginx lacks \(origins.count == 1 ? "it" : "them")"
        return graded(
            message,
            "set CORS_ORIGINS=\(gatehouse.joined(separator: ",")) in /etc/gatehouse/nginx.values; then: gatehouse-nginx"
        )
    }

    private func unknownToGatehouse(_ origins: [String]) -> Finding {
        let message =
            "pages of \(Self.list(origins)) may call guarded locations, but not the API: CORS_ORIGINS of Gatehouse lacks "
            + (origins.count == 1 ? "it" : "them")
        return graded(
            message,
            "add it to CORS_ORIGINS in /etc/gatehouse/gatehouse.conf, then: systemctl reload gatehouse; or remove it from "
                + "/etc/gatehouse/nginx.values, then: gatehouse-nginx")
    }

    private func graded(_ message: String, _ advice: String) -> Finding {
        isExpected ? .fault(message, advice) : .note(message, advice)
    }

    private static func list(_ origins: [String]) -> String { origins.joined(separator: ", ") }
}

extension NginxConfiguration {
    /// The origins in the map of `conf.d/gatehouse.conf`; nil if there is none, as before this map existed.
    var corsOrigins: [String]? {
        for lines in allLines {
            guard let start = lines.firstIndex(where: { $0.firstMatch(of: Self.originsMap) != nil }) else { continue }
            let entries = lines[(start + 1)...].prefix { !$0.hasPrefix("}") }
            return entries.compactMap { line in line.firstMatch(of: Self.originsEntry).map { String($0.1) } }
        }
        return nil
    }

    private static var originsMap: Regex<Substring> { /^map\s+\$http_origin\s+\$gatehouse_cors_origin\s*\{/ }
    private static var originsEntry: Regex<(Substring, Substring)> { /^"~\^\\Q(\S+)\\E\\z"/ }
}
