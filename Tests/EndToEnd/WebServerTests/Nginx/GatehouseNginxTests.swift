import TestSupport
import Testing

@testable import ServerSupport

@Suite("gatehouse-nginx", .enabled(if: NginxSandbox.obstacle == nil, NginxSandbox.reason))
struct GatehouseNginxTests {
    private func run(_ script: String) throws -> Shell.Outcome { try NginxSandbox().run(script) }

    private func mustRun(_ script: String) throws {
        let outcome = try run("set -x\n" + script)
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
    }

    @Test(
        "A change that fails half way is undone", .needs(.time),
        arguments: ["", "rm /etc/nginx/snippets/gatehouse*", "kill -TERM $PPID; exit 0"].sampled(every: 3))
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
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errorOutput)")
        #expect(outcome.errorOutput.contains("the previous files are restored"))
    }

    @Test("ACME_ROOT may be any folder or empty, and --remove removes the folder it created", .needs(.time))
    func webroot() throws {
        try mustRun(
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

    @Test("A certificate is created only where none is configured")
    func certificate() throws {
        try mustRun(
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

    @Test(
        "nginx listens at each address of a list, and the server probes itself if one of them is a loopback address",
        .needs(.time),
        arguments: [("127.0.0.1:443,127.0.0.2:443", true), ("127.0.0.2:443,127.0.0.3:443", false)])
    func addresses(_ list: String, _ isProbed: Bool) throws {
        try mustRun(
            """
            echo LISTEN_HTTPS=\(list) >>/etc/gatehouse/nginx.values
            echo LISTEN_HTTPS_6= >>/etc/gatehouse/nginx.values
            gatehouse_nginx
            test "$(grep -c '^ *listen 127.*:443 ssl' /etc/nginx/sites-enabled/gatehouse.conf)" = 2
            test \(isProbed ? "-s" : "! -s") /etc/gatehouse/public_url
            """)
    }

    @Test(
        "A site that is read first and has the same name at the same address is named, and is a failure",
        arguments: [
            ("app", "listen 443 ssl; server_name www.example.com API.example.com;", true),
            ("zone", "listen 443 ssl; server_name www.example.com api.example.com;", false),
            ("app", "listen 8443 ssl; server_name api.example.com;", false),
            ("app", "listen 443 ssl; server_name example.com; # server_name api.example.com;", false),
            ("app", "listen 80; server_name\n    www.example.com\n    api.example.com;", true),
        ])
    func sameName(site: String, block: String, isFailure: Bool) throws {
        let outcome = try run(
            """
            gatehouse_nginx
            cat >/etc/nginx/sites-enabled/\(site) <<'END'
            server {
                \(block)
                ssl_certificate /etc/gatehouse/tls/self-signed.pem;
                ssl_certificate_key /etc/gatehouse/tls/self-signed.key;
            }
            END
            status_of gatehouse_nginx
            test $status = \(isFailure ? 1 : 0)
            """)
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        #expect(outcome.errorOutput.contains("sites-enabled/app also has the name api.example.com") == isFailure)
    }

    @Test("A size of nginx's table of variables that the operator has set is kept")
    func variables() throws {
        try mustRun(
            """
            gatehouse_nginx
            grep -q 'variables_hash_max_size 2048' /etc/nginx/conf.d/gatehouse.conf
            sed -i 's/^http {/&\\nvariables_hash_max_size 4096;/' /etc/nginx/nginx.conf
            gatehouse_nginx
            ! grep -q '^variables_hash_max_size' /etc/nginx/conf.d/gatehouse.conf
            """)
    }

    @Test("--remove clears the public origin of the server")
    func removed() throws {
        try mustRun(
            """
            gatehouse_nginx
            test "$(cat /etc/gatehouse/public_url)" = https://api.example.com
            rm /run/systemctl-calls
            gatehouse_nginx --remove
            test ! -e /etc/gatehouse/public_url
            grep -x 'reload gatehouse.service' /run/systemctl-calls
            """)
    }

    @Test(
        "A refused --remove keeps the public origin only while another server block serves the API", .needs(.time),
        arguments: [("gatehouse-site", true), ("gatehouse-internal", false)])
    func refusedRemoval(_ snippet: String, _ isServed: Bool) throws {
        try mustRun(
            """
            gatehouse_nginx
            echo 'server { listen 8080; include snippets/\(snippet).conf; }' >/etc/nginx/conf.d/own.conf
            rm /run/systemctl-calls
            status_of gatehouse_nginx --remove
            test $status = 1
            test ! -e /etc/nginx/sites-enabled/gatehouse.conf
            test \(isServed ? "" : "!") -e /etc/gatehouse/public_url
            \(isServed ? "!" : "") grep -x 'reload gatehouse.service' /run/systemctl-calls
            """)
    }
}
