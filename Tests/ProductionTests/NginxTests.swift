import TestSupport
import Testing

extension MachineTests {
    @Suite("The operator's nginx")
    struct NginxTests {
        @Test("nginx is not changed where the configuration does not fit, and the command says why")
        func misfit() throws {
            let machine = try Machine()
            // A manual configuration with the same upstream name.
            try machine.mustRun("echo 'upstream gatehouse { server 127.0.0.1:9000; }' >/etc/nginx/conf.d/by-hand.conf")
            let output = try machine.install(DebianPackage.first.get())
            #expect(output.contains("nginx refuses the configuration"))
            try machine.mustRun("nginx -t && ! ls /etc/nginx/*/gatehouse*")
            try machine.mustRun("rm /etc/nginx/conf.d/by-hand.conf && gatehouse-nginx && nginx -t")
            try machine.mustRun("test -e /etc/nginx/sites-enabled/gatehouse.conf")
            // A value that nginx refuses.
            try machine.mustRun("echo CERTIFICATE=/nowhere.pem >>/etc/gatehouse/nginx.values")
            try expectRefusal(machine, "/nowhere.pem", "test failed")
            try machine.mustRun("nginx -t && grep -q self-signed /etc/nginx/sites-enabled/gatehouse.conf")
            try machine.mustRun("sed -i /nowhere/d /etc/gatehouse/nginx.values")
            // An error in the operator's own configuration.
            try machine.mustRun("echo 'bogus on;' >/etc/nginx/conf.d/bogus.conf")
            try expectRefusal(machine, #"unknown directive "bogus""#, "test failed")
            try machine.mustRun("rm /etc/nginx/conf.d/bogus.conf && gatehouse-nginx")
            try notServing(machine)
        }

        /// Each reason why nginx does not serve is reported, and once it is corrected nginx serves.
        private func notServing(_ machine: Machine) throws {
            try machine.mustRun("cp /etc/nginx/nginx.conf /root && sed -i /sites-enabled/d /etc/nginx/nginx.conf")
            try expectRefusal(machine, "does not read", "include /etc/nginx/sites-enabled/*.conf;")
            try machine.mustRun("cp /root/nginx.conf /etc/nginx && gatehouse-nginx")
            #expect(machine.eventuallySucceeds("curl -sk https://localhost/ | grep -q not_found"))
            // `nginx -t` does not detect a port that another process uses.
            try machine.mustRun("systemd-run --quiet --unit=other python3 -m http.server 8088")
            try #require(machine.eventuallySucceeds("curl -s -o /dev/null http://127.0.0.1:8088/"))
            try machine.mustRun("echo LISTEN_HTTP=8088 >>/etc/gatehouse/nginx.values")
            try expectRefusal(machine, "serves the old one", "bind() to 0.0.0.0:8088 failed")
            try machine.mustRun("systemctl stop nginx")
            try expectRefusal(machine, "does not start", "bind() to 0.0.0.0:8088 failed")
            // A maintainer script must not start nginx.
            let quiet = try machine.run("DPKG_MAINTSCRIPT_PACKAGE=nginx gatehouse-nginx")
            #expect(quiet.status == 1)
            #expect(quiet.errorOutput.contains("systemctl start nginx"))
            try machine.mustRun("systemctl stop other && gatehouse-nginx && systemctl is-active nginx")
            try machine.mustRun("systemctl disable --now nginx")
            try expectRefusal(machine, "systemctl enable --now nginx")
        }

        private func expectRefusal(_ machine: Machine, _ words: String...) throws {
            let outcome = try machine.run("gatehouse-nginx")
            #expect(outcome.status == 1)
            for word in words { #expect(outcome.errorOutput.contains(word), "\(outcome.errorOutput)") }
        }

        @Test("The example server block, the folders and the log of the documentation work")
        func page() throws {
            let machine = try Machine.serving()
            #expect(try machine.mustRun("cat /etc/gatehouse/public_url") == "https://api.example.com")
            try machine.mustRun("test -d /etc/nginx/gatehouse.d && test -d /var/www/acme")
            let mode = "stat -c '%a %U %G' /var/log/nginx/gatehouse.access.log"
            #expect(try machine.mustRun(mode) == "640 www-data adm")
            try machine.mustRun(
                """
                mkdir -p /var/www/acme/.well-known/acme-challenge
                echo works >/var/www/acme/.well-known/acme-challenge/test
                curl -s -H 'Host: api.example.com' http://127.0.0.1/.well-known/acme-challenge/test | grep works
                """)
            // The certificate that the example refers to.
            try machine.mustRun(
                """
                mkdir -p /etc/letsencrypt/live/example.com && cd /etc/letsencrypt/live/example.com
                cp /etc/gatehouse/tls/self-signed.pem fullchain.pem && cp /etc/gatehouse/tls/self-signed.key privkey.pem
                """)
            let section = "In a server block of your own"
            let site = try #require(try DocumentationPage.nginx.blocks(of: section, "nginx").first)
            try machine.write(site + "\n", to: "/etc/nginx/sites-enabled/example.com")
            let commands = try #require(try DocumentationPage.nginx.blocks(of: section).first)
            try machine.mustRun("set -e\n" + commands)
            #expect(try machine.mustRun("cat /etc/gatehouse/public_url") == "https://example.com")
            #expect(machine.eventuallySucceeds(answers("/api/users/me", 401, "invalid_access_token")))
            for path in ["/api/auth/verify", "/healthz", "/readyz", "/metrics"] {
                try machine.mustRun(answers(path, 404, "not_found"))
            }
            try machine.mustRun(answers("/knowledge/1", 401, "invalid_access_token"))
            try machine.mustRun("grep -q '\"path\":\"/knowledge/1\"' /var/log/nginx/gatehouse.access.log")
            try machine.mustRun("! grep -q knowledge /var/log/nginx/access.log")
            try machine.mustRun("systemctl reload nginx")
            #expect(try machine.mustRun(mode) == "640 www-data adm")
            try behindBalancer(machine)
        }

        /// Configured by values only, with Debian's default site on the same port.
        private func behindBalancer(_ machine: Machine) throws {
            try machine.mustRun(
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
            #expect(machine.eventuallySucceeds("test $(\(ask) http://127.0.0.1/ready) = 200"))
            try machine.mustRun(
                "test $(\(ask) -H 'X-Forwarded-Proto: https' http://example.com/api/users/me --resolve example.com:80:127.0.0.1) = 401"
            )
            try machine.mustRun(
                "systemctl stop gatehouse.socket gatehouse && test $(\(ask) http://127.0.0.1/ready) = 503")
        }

        private func answers(_ path: String, _ status: Int, _ code: String) -> String {
            """
            curl -sk --resolve example.com:443:127.0.0.1 -w ' %{http_code}' https://example.com\(path) |
                grep -q '"\(code)".* \(status)$'
            """
        }

        @Test("nginx may be installed after Gatehouse")
        func later() throws {
            let machine = try Machine()
            try machine.mustRun("systemctl stop nginx && mv /usr/sbin/nginx /root/nginx")
            try machine.install(DebianPackage.first.get())
            try machine.mustRun("! ls /etc/nginx/*/gatehouse* && mv /root/nginx /usr/sbin/nginx")
            try machine.mustRun(
                "dpkg-trigger --by-package=nginx /usr/sbin/nginx && dpkg --configure --pending && nginx -t")
            try machine.mustRun("test -e /etc/nginx/sites-enabled/gatehouse.conf")
            try machine.mustRun("! systemctl is-active nginx && gatehouse-nginx && systemctl is-active nginx")
        }

        @Test("A disabled site stays disabled, and the operator's guarded site keeps working")
        func own() throws {
            let machine = try Machine()
            try machine.install(DebianPackage.first.get())
            try machine.mustRun("rm /etc/nginx/sites-enabled/gatehouse-redirect.conf")
            try machine.write(
                """
                server {
                    listen 8080;
                    include snippets/gatehouse-internal.conf;
                    location / { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:3000; }
                }
                """, to: "/etc/nginx/sites-enabled/own.conf")
            try machine.install(DebianPackage.second.get())
            try machine.mustRun("! test -e /etc/nginx/sites-enabled/gatehouse-redirect.conf")
            try machine.mustRun("test -e /etc/nginx/sites-enabled/gatehouse.conf")
            try machine.mustRun("apt-get purge --yes gatehouse </dev/null && nginx -t")
            // The guarded site refuses requests because the responder is gone.
            #expect(machine.eventuallySucceeds("curl -s http://localhost:8080/ | grep -q service_unavailable"))
        }
    }
}
