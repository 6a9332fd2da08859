import TestSupport
import Testing

extension MachineTests {
    @Suite("whose nginx is its own")
    struct NginxTests {
        @Test("is left alone where ours does not fit, and where there is none")
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
            #expect(try machine.run("gatehouse-nginx").status == 1)
            try machine.must("nginx -t && grep -q self-signed /etc/nginx/sites-enabled/gatehouse.conf")
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
