import GatehouseServer

/// The way of a client's request: from the public port through nginx to the server.
struct PublicAddressCheck: Check {
    let subject = "public address"
    let address: PublicAddress
    let probe: PublicProbe

    func look() -> [Finding] { [judge(probe.answer)] }

    func judge(_ answer: PublicProbe.Answer) -> Finding {
        switch answer {
        case .ours: return .ok("\(address) is answered by this server")
        case .problem(502, _), .problem(504, _):
            return fault(answer, "nginx does not reach the server: see units, socket and server in this report")
        case _ where answer.isReached:
            return .note("\(address): \(answer.summary): nginx's limits hold back this machine's requests")
        case .problem: return fault(answer, "see server in this report; journalctl -u gatehouse -p warning -n 20")
        case .other:
            return fault(
                answer,
                "another site has this name or port: nginx -T | grep -n server_name; SERVER_NAME in "
                    + "/etc/gatehouse/nginx.values has to be \(address.host); then: gatehouse-nginx")
        case .noConnection:
            return fault(
                answer,
                "systemctl start nginx; ss -ltn 'sport = :\(address.port)'; if another machine ends TLS, set PUBLIC_URL=off"
            )
        case .noTLS: return fault(answer, "nginx -t; see certificate in this report")
        case .late, .unusable: return fault(answer, "systemctl status nginx; tail /var/log/nginx/error.log")
        }
    }

    private func fault(_ answer: PublicProbe.Answer, _ advice: String) -> Finding {
        .fault("\(address): \(answer.summary)", advice)
    }
}

/// A machine of the package of which nothing says where clients come in.
struct UnknownPublicAddressCheck: Check {
    let subject = "public address"

    func look() -> [Finding] {
        [
            .note(
                "not looked at, and neither is the certificate: PUBLIC_URL is not set",
                "gatehouse-nginx sets it, but not with TLS=balancer, PROXY_PROTOCOL=on or a LISTEN_HTTPS that no loopback "
                    + "address is part of: then PUBLIC_URL=https://… in /etc/gatehouse/gatehouse.conf where this machine "
                    + "can ask nginx at it, and otherwise PUBLIC_URL=off")
        ]
    }
}
