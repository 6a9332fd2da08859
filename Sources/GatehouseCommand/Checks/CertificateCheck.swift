import Gatehouse
import GatehouseServer
import POSIX

/// A certificate in a file that nginx's site names.
struct CertificateFile: Sendable {
    /// The one that `gatehouse-nginx` makes until there is a better one.
    static let selfSigned = "/etc/gatehouse/tls/self-signed.pem"

    let path: String
    let certificate: ServedCertificate
}

/// The certificate that nginx shows to clients.
struct CertificateCheck: Check {
    /// ACME clients renew a month before the end: two weeks before it, that has failed several times.
    static let leastRest = Duration.seconds(14 * 86_400)

    struct Facts {
        var served: ServedCertificate?
        /// Why a client refuses the connection; nil where it does not.
        var disbelief: String?
        /// The certificate in the file that nginx's site names; nil where it could not be looked at.
        var inFile: CertificateFile?
        var now: Timestamp
    }

    let subject = "certificate"
    let address: PublicAddress
    let probe: PublicProbe
    let inFile: CertificateFile?

    func look() -> [Finding] {
        judge(
            Facts(
                served: probe.certificate, disbelief: PublicProbe.disbelief(of: address), inFile: inFile,
                now: World.real.now()))
    }

    func judge(_ facts: Facts) -> [Finding] {
        guard let served = facts.served else { return [missing] }
        let faults = [validity(served, facts), name(served)].compactMap { $0 }
        let notes = [belief(served, facts), reload(served, facts)].compactMap { $0 }
        return faults.isEmpty ? [.ok("valid until \(served.notAfter.day)")] + notes : faults
    }

    private var missing: Finding {
        switch probe.answer {
        case .noConnection, .late: .note("not looked at: \(probe.answer.summary)")
        default:
            .fault(
                "no certificate at \(address): \(probe.answer.summary)",
                "nginx -t; see that CERTIFICATE in /etc/gatehouse/nginx.values names one, then: gatehouse-nginx")
        }
    }

    private func validity(_ served: ServedCertificate, _ facts: Facts) -> Finding? {
        if served.notBefore > facts.now {
            return .fault(
                "not valid before \(served.notBefore.day): clients refuse it", "timedatectl; " + renewal(served, facts))
        }
        guard served.notAfter < facts.now + Self.leastRest else { return nil }
        let rest = (served.notAfter.milliseconds - facts.now.milliseconds) / 86_400_000
        let message =
            served.notAfter <= facts.now
            ? "expired on \(served.notAfter.day): clients refuse it" : "ends on \(served.notAfter.day), in \(rest) days"
        if let file = facts.inFile?.certificate, !file.isSame(as: served), file.notAfter > served.notAfter {
            return .fault("\(message); its file has a newer one", "systemctl reload nginx")
        }
        return .fault(message, renewal(served, facts))
    }

    private func renewal(_ served: ServedCertificate, _ facts: Facts) -> String {
        served.isSelfSigned && facts.inFile?.path == CertificateFile.selfSigned
            ? "rm /etc/gatehouse/tls/self-signed.* && gatehouse-nginx && systemctl reload nginx"
            : "certbot renew && systemctl reload nginx; or put the new one where CERTIFICATE in "
                + "/etc/gatehouse/nginx.values says, then: systemctl reload nginx"
    }

    private func name(_ served: ServedCertificate) -> Finding? {
        guard !served.coversHost else { return nil }
        return .fault(
            "it is not for \(address.host): clients refuse it",
            "SERVER_NAME and CERTIFICATE in /etc/gatehouse/nginx.values have to fit each other, then: gatehouse-nginx")
    }

    private func belief(_ served: ServedCertificate, _ facts: Facts) -> Finding? {
        if served.isSelfSigned {
            return .note(
                "it is self-signed: clients refuse it unless they are told to believe it",
                "have one issued (certbot), and name it in CERTIFICATE of /etc/gatehouse/nginx.values")
        }
        return facts.disbelief.map { reason in
            .note(
                "this machine does not believe it: \(reason)",
                "name the file with the whole chain (fullchain.pem) in CERTIFICATE; of an authority of your own, pass this over"
            )
        }
    }

    private func reload(_ served: ServedCertificate, _ facts: Facts) -> Finding? {
        guard let file = facts.inFile?.certificate, !file.isSame(as: served) else { return nil }
        return .note("its file has another one than nginx shows", "systemctl reload nginx")
    }
}

extension Timestamp {
    fileprivate var day: Substring { description.prefix(10) }
}
