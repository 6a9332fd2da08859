import TestSupport
import Testing

@Suite("gatehouse-nginx", .enabled(if: OperatorsNginx.obstacle == nil, OperatorsNginx.reason))
struct OperatorsNginxTests {
    private func run(_ script: String) throws -> Shell.Outcome { try OperatorsNginx().run(script) }

    private func must(_ script: String) throws {
        let outcome = try run("set -x\n" + script)
        #expect(outcome.status == 0, "\(outcome.complaint)")
    }

    @Test(
        "undoes a change that fails half way",
        arguments: ["", "rm /etc/nginx/snippets/gatehouse*", "kill -TERM $PPID; sleep 1; exit 0"])
    func halfWay(_ fault: String) throws {
        let outcome = try run(
            """
            gatehouse_nginx
            sums() { (cd /etc/nginx && find . -type f -o -type l | sort | xargs sha256sum); }
            sums >/run/before
            echo API_RATE=7r/s >>/etc/gatehouse/nginx.values
            printf '%s\\n' '#!/bin/sh' '/bin/cp "$@"' '[ "$1" != -r ] || { \(fault)' 'exit 1; }' >$bin/cp
            chmod +x $bin/cp
            status_of gatehouse_nginx
            test $status = 3
            sums | diff /run/before -
            rm $bin/cp
            gatehouse_nginx
            grep -q 7r/s /etc/nginx/conf.d/gatehouse.conf
            """)
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.complaint)")
        #expect(outcome.complaint.contains("everything is as it was"))
    }

    @Test("takes any ACME_ROOT, also none, and removes the folder that it made")
    func webroot() throws {
        try must(
            """
            echo ACME_ROOT= >>/etc/gatehouse/nginx.values
            gatehouse_nginx
            test ! -e /var/www/acme && test ! -e /run/gatehouse-nginx.pending
            echo ACME_ROOT=/var/proofs >>/etc/gatehouse/nginx.values
            gatehouse_nginx
            test -d /var/proofs
            gatehouse_nginx --remove
            test ! -e /var/proofs
            """)
    }

    @Test("makes a certificate only where the operator names none")
    func certificate() throws {
        try must(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=own -keyout /etc/own.key -out /etc/own.pem
            cp /etc/gatehouse/nginx.values /run/values
            printf '%s\\n' CERTIFICATE=/etc/own.pem CERTIFICATE_KEY=/etc/own.key >>/etc/gatehouse/nginx.values
            gatehouse_nginx
            test ! -e /etc/gatehouse/tls
            cp /run/values /etc/gatehouse/nginx.values
            gatehouse_nginx
            test -s /etc/gatehouse/tls/self-signed.pem
            """)
    }

    @Test("has the server forget its public origin at a removal")
    func removed() throws {
        try must(
            """
            gatehouse_nginx
            test "$(cat /etc/gatehouse/public_url)" = https://api.example.com
            rm /run/asked
            gatehouse_nginx --remove
            test ! -e /etc/gatehouse/public_url
            grep -x 'reload gatehouse.service' /run/asked
            """)
    }

    @Test(
        "keeps the public origin at a removal that nginx refuses only while a server of the operator's has the API",
        arguments: [("gatehouse-site", true), ("gatehouse-internal", false)])
    func refusedRemoval(_ snippet: String, _ isServed: Bool) throws {
        try must(
            """
            gatehouse_nginx
            echo 'server { listen 8080; include snippets/\(snippet).conf; }' >/etc/nginx/conf.d/own.conf
            rm /run/asked
            status_of gatehouse_nginx --remove
            test $status = 1
            test ! -e /etc/nginx/sites-enabled/gatehouse.conf
            test \(isServed ? "" : "!") -e /etc/gatehouse/public_url
            \(isServed ? "!" : "") grep -x 'reload gatehouse.service' /run/asked
            """)
    }
}
