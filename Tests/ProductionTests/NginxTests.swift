import TestSupport
import Testing

extension MachineTests {
    @Suite("whose nginx is its own")
    struct NginxTests {
        @Test("is left alone where ours does not fit, and told of where it does not serve")
        func misfit() throws {
            let machine = try Machine()
            // A setup by hand, which has the same names.
            try machine.must("echo 'upstream gatehouse { server 127.0.0.1:9000; }' >/etc/nginx/conf.d/by-hand.conf")
            let output = try machine.install(DebianPackage.first.get())
            #expect(output.contains("nginx refuses it"))
            try machine.must("nginx -t && ! ls /etc/nginx/*/gatehouse*")
            try machine.must("rm /etc/nginx/conf.d/by-hand.conf && gatehouse-nginx && nginx -t")
            try machine.must("test -e /etc/nginx/sites-enabled/gatehouse.conf")
            // A value that nginx cannot take.
            try machine.must("echo CERTIFICATE=/nowhere.pem >>/etc/gatehouse/nginx.values")
            try expectRefusal(machine, "/nowhere.pem", "test failed")
            try machine.must("nginx -t && grep -q self-signed /etc/nginx/sites-enabled/gatehouse.conf")
            try machine.must("sed -i /nowhere/d /etc/gatehouse/nginx.values")
            // A configuration that is wrong without us.
            try machine.must("echo 'bogus on;' >/etc/nginx/conf.d/bogus.conf")
            try expectRefusal(machine, #"unknown directive "bogus""#, "test failed")
            try machine.must("rm /etc/nginx/conf.d/bogus.conf && gatehouse-nginx")
            try notServing(machine)
        }

        /// Whatever keeps nginx from serving is told, and once it is mended nginx serves.
        private func notServing(_ machine: Machine) throws {
            try machine.must("cp /etc/nginx/nginx.conf /root && sed -i /sites-enabled/d /etc/nginx/nginx.conf")
            try expectRefusal(machine, "does not read", "include /etc/nginx/sites-enabled/*.conf;")
            try machine.must("cp /root/nginx.conf /etc/nginx && gatehouse-nginx")
            #expect(machine.holds("curl -sk https://localhost/ | grep -q not_found"))
            // nginx -t finds nothing wrong with a port that another process has.
            try machine.must("systemd-run --quiet --unit=other python3 -m http.server 8088")
            try #require(machine.holds("curl -s -o /dev/null http://127.0.0.1:8088/"))
            try machine.must("echo LISTEN_HTTP=8088 >>/etc/gatehouse/nginx.values")
            try expectRefusal(machine, "serves the old one", "bind() to 0.0.0.0:8088 failed")
            try machine.must("systemctl stop nginx")
            try expectRefusal(machine, "does not start", "bind() to 0.0.0.0:8088 failed")
            // A package's script starts nothing.
            let quiet = try machine.run("DPKG_MAINTSCRIPT_PACKAGE=nginx gatehouse-nginx")
            #expect(quiet.status == 1)
            #expect(quiet.complaint.contains("systemctl start nginx"))
            try machine.must("systemctl stop other && gatehouse-nginx && systemctl is-active nginx")
            try machine.must("systemctl disable --now nginx")
            try expectRefusal(machine, "systemctl enable --now nginx")
        }

        private func expectRefusal(_ machine: Machine, _ words: String...) throws {
            let outcome = try machine.run("gatehouse-nginx")
            #expect(outcome.status == 1)
            for word in words { #expect(outcome.complaint.contains(word), "\(outcome.complaint)") }
        }

        @Test("has the server block of the page, and the folders and the log that the pages name")
        func page() throws {
            let machine = try Machine.serving()
            #expect(try machine.must("cat /etc/gatehouse/public_url") == "https://api.example.com")
            try machine.must("test -d /etc/nginx/gatehouse.d && test -d /var/www/acme")
            let mode = "stat -c '%a %U %G' /var/log/nginx/gatehouse.access.log"
            #expect(try machine.must(mode) == "640 www-data adm")
            try machine.must(
                """
                mkdir -p /var/www/acme/.well-known/acme-challenge
                echo works >/var/www/acme/.well-known/acme-challenge/test
                curl -s -H 'Host: api.example.com' http://127.0.0.1/.well-known/acme-challenge/test | grep works
                """)
            // The certificate of the page's example.
            try machine.must(
                """
                mkdir -p /etc/letsencrypt/live/example.com && cd /etc/letsencrypt/live/example.com
                cp /etc/gatehouse/tls/self-signed.pem fullchain.pem && cp /etc/gatehouse/tls/self-signed.key privkey.pem
                """)
            let section = "In a server block of your own"
            let site = try #require(try Page.nginx.blocks(of: section, "nginx").first)
            try machine.write(site + "\n", to: "/etc/nginx/sites-enabled/example.com")
            let commands = try #require(try Page.nginx.blocks(of: section).first)
            try machine.must("set -e\n" + commands)
            #expect(try machine.must("cat /etc/gatehouse/public_url") == "https://example.com")
            #expect(machine.holds(answers("/api/users/me", 401, "invalid_access_token")))
            for path in ["/api/auth/verify", "/healthz", "/readyz", "/metrics"] {
                try machine.must(answers(path, 404, "not_found"))
            }
            try machine.must(answers("/knowledge/1", 401, "invalid_access_token"))
            try machine.must("grep -q '\"path\":\"/knowledge/1\"' /var/log/nginx/gatehouse.access.log")
            try machine.must("! grep -q knowledge /var/log/nginx/access.log")
            try machine.must("systemctl reload nginx")
            #expect(try machine.must(mode) == "640 www-data adm")
            try behindBalancer(machine)
        }

        /// By the values alone, with Debian's own site on the same port.
        private func behindBalancer(_ machine: Machine) throws {
            try machine.must(
                """
                set -e
                rm /etc/nginx/sites-enabled/example.com
                printf '%s\n' TLS=balancer TRUSTED_PROXIES=127.0.0.1 PROBE_PATH=/ready >>/etc/gatehouse/nginx.values
                ln -s ../sites-available/gatehouse.conf /etc/nginx/sites-enabled/gatehouse.conf
                test -e /etc/nginx/sites-enabled/default
                gatehouse-nginx
                ! test -e /etc/gatehouse/public_url
                """)
            let ask = "curl -s -o /dev/null -w '%{http_code}' "
            #expect(machine.holds("test $(\(ask) http://127.0.0.1/ready) = 200"))
            try machine.must(
                "test $(\(ask) -H 'X-Forwarded-Proto: https' http://example.com/api/users/me --resolve example.com:80:127.0.0.1) = 401"
            )
            try machine.must("systemctl stop gatehouse.socket gatehouse && test $(\(ask) http://127.0.0.1/ready) = 503")
        }

        private func answers(_ path: String, _ status: Int, _ code: String) -> String {
            """
            curl -sk --resolve example.com:443:127.0.0.1 -w ' %{http_code}' https://example.com\(path) |
                grep -q '"\(code)".* \(status)$'
            """
        }

        @Test("may come after Gatehouse, and has its site then")
        func later() throws {
            let machine = try Machine()
            try machine.must("systemctl stop nginx && mv /usr/sbin/nginx /root/nginx")
            try machine.install(DebianPackage.first.get())
            try machine.must("! ls /etc/nginx/*/gatehouse* && mv /root/nginx /usr/sbin/nginx")
            try machine.must(
                "dpkg-trigger --by-package=nginx /usr/sbin/nginx && dpkg --configure --pending && nginx -t")
            try machine.must("test -e /etc/nginx/sites-enabled/gatehouse.conf")
            try machine.must("! systemctl is-active nginx && gatehouse-nginx && systemctl is-active nginx")
        }

        @Test("keeps a site disabled that its operator disabled, and their own guarded one working")
        func own() throws {
            let machine = try Machine()
            try machine.install(DebianPackage.first.get())
            try machine.must("rm /etc/nginx/sites-enabled/gatehouse-redirect.conf")
            try machine.write(
                """
                server {
                    listen 8080;
                    include snippets/gatehouse-internal.conf;
                    location / { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:3000; }
                }
                """, to: "/etc/nginx/sites-enabled/own.conf")
            try machine.install(DebianPackage.second.get())
            try machine.must("! test -e /etc/nginx/sites-enabled/gatehouse-redirect.conf")
            try machine.must("test -e /etc/nginx/sites-enabled/gatehouse.conf")
            try machine.must("apt-get purge --yes gatehouse </dev/null && nginx -t")
            // Closed, as ever when nobody answers the guard.
            #expect(machine.holds("curl -s http://localhost:8080/ | grep -q service_unavailable"))
        }
    }
}
