import GatehouseServer
import POSIX

/// What is in front of the server: nginx, its certificate, and the address that clients use.
struct FrontChecks {
    private let setting: PublicAddressSetting
    /// Nil where nginx is none of ours: no package, or one that is told of by its address alone.
    private let nginx: NginxCheck?
    /// Those in the files that our sites name, as far as this user may read them.
    private let certificates: [CertificateFile]
    private let hasUnits: Bool

    /// Looks at what only root may see; to be made before root is given up.
    init(survey: ConfigurationSurvey, processes: NginxProcesses, hasUnits: Bool) {
        setting = survey.publicAddress
        self.hasUnits = hasUnits
        nginx = hasUnits ? NginxCheck(processes: processes, isExpected: survey.publicAddress != .off) : nil
        let host = survey.publicAddress.address?.host ?? ""
        certificates = (nginx?.configuration?.certificates ?? []).compactMap { path in
            guard let bytes = try? File.readRegular(path) else { return nil }
            return ServedCertificate(pem: String(decoding: bytes, as: UTF8.self), host: host)
                .map { CertificateFile(path: path, certificate: $0) }
        }
    }

    func look() -> [(subject: String, finding: Finding)] {
        let front = nginx?.report() ?? []
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

    /// A server may have several, one for each kind of key or name: the one that is served, or else one for this name.
    private func inFile(for served: ServedCertificate?) -> CertificateFile? {
        certificates.first { file in served.map(file.certificate.isSame) ?? false }
            ?? certificates.first(where: \.certificate.coversHost)
    }
}
