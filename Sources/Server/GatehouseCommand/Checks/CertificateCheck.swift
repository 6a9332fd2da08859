import Gatehouse
import GatehouseServer
import POSIX

/// A certificate file that a site of nginx names.
struct CertificateFile: Sendable {
    /// The certificate that `gatehouse-nginx` creates if none is set.
    static let selfSigned = "/etc/gatehouse/tls/self-signed.pem"

    let path: String
    let certificate: ServedCertificate
}

/// The certificate that nginx serves.
struct CertificateCheck: Check {
    /// ACME clients renew a month before expiry: two weeks before it, renewal has failed several times.
    static let minimumValidity = Duration.seconds(14 * 86_400)

    struct Facts {
        var served: ServedCertificate?
        /// Why a client rejects the certificate; nil if it accepts it.
        var rejection: String?
        /// The certificate in the file that the site names; nil if it could not be read.
        var inFile: CertificateFile?
        var now: Timestamp
    }

    let subject = "certificate"
    let address: PublicAddress
    let probe: PublicProbe
    let inFile: CertificateFile?

    func run() -> [Finding] {
        evaluate(
            Facts(
                served: probe.certificate, rejection: PublicProbe.rejection(of: address), inFile: inFile,
                now: Platform.system.now()))
    }

    func evaluate(_ facts: Facts) -> [Finding] {
        guard let served = facts.served else { return [missing] }
        let faults = [validity(served, facts), name(served)].compactMap { $0 }
        let notes = [trust(served, facts), reload(served, facts)].compactMap { $0 }
        return faults.isEmpty ? [.ok("valid until \(served.notAfter.day)")] + notes : faults
    }

    private var missing: Finding {
        switch probe.answer {
        case .noConnection, .late: .note("not checked: \(probe.answer.summary)")
        default:
            .fault(
                "no certificate is served at \(address): \(probe.answer.summary)",
                "nginx -t; set CERTIFICATE in /etc/gatehouse/nginx.values, then: gatehouse-nginx")
        }
    }

    private func validity(_ served: ServedCertificate, _ facts: Facts) -> Finding? {
        if served.notBefore > facts.now {
            return .fault(
                "not valid before \(served.notBefore.day): clients reject it", "timedatectl; " + renewal(served, facts))
        }
        guard served.notAfter < facts.now + Self.minimumValidity else { return nil }
        let rest = (served.notAfter.milliseconds - facts.now.milliseconds) / 86_400_000
        let message =
            served.notAfter <= facts.now
            ? "expired on \(served.notAfter.day): clients reject it"
            : "expires on \(served.notAfter.day), in \(rest) days"
        if let file = facts.inFile?.certificate, !file.isSame(as: served), file.notAfter > served.notAfter {
            return .fault("\(message); its file has a newer certificate", "systemctl reload nginx")
        }
        return .fault(message, renewal(served, facts))
    }

    private func renewal(_ served: ServedCertificate, _ facts: Facts) -> String {
        served.isSelfSigned && facts.inFile?.path == CertificateFile.selfSigned
            ? "rm /etc/gatehouse/tls/self-signed.* && gatehouse-nginx && systemctl reload nginx"
            : "certbot renew && systemctl reload nginx; or replace the file that CERTIFICATE in "
                + "/etc/gatehouse/nginx.values names, then: systemctl reload nginx"
    }

    private func name(_ served: ServedCertificate) -> Finding? {
        guard !served.coversHost else { return nil }
        return .fault(
            "it is not valid for \(address.host): clients reject it",
            "make SERVER_NAME and CERTIFICATE in /etc/gatehouse/nginx.values match, then: gatehouse-nginx")
    }

    private func trust(_ served: ServedCertificate, _ facts: Facts) -> Finding? {
        if served.isSelfSigned {
            return .note(
                "it is self-signed: clients reject it unless they trust it explicitly",
                "have one issued (certbot), and set CERTIFICATE in /etc/gatehouse/nginx.values")
        }
        return facts.rejection.map { reason in
            .note(
                "this machine does not trust it: \(reason)",
                "set CERTIFICATE to the file with the whole chain (fullchain.pem); ignore this for your own authority"
            )
        }
    }

    private func reload(_ served: ServedCertificate, _ facts: Facts) -> Finding? {
        guard let file = facts.inFile?.certificate, !file.isSame(as: served) else { return nil }
        return .note("its file has another certificate than nginx serves", "systemctl reload nginx")
    }
}

extension Timestamp {
    fileprivate var day: Substring { description.prefix(10) }
}
