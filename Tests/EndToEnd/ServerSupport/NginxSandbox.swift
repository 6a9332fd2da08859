import Foundation
import TestSupport
import Testing

/// Runs `gatehouse-nginx` and nginx in namespaces with temporary system folders, which end with the script. `systemctl`
/// is replaced with a program that records its arguments. nginx has the configuration of Debian's package in its main lines,
/// without the modules and sites of this machine, which may need files that the temporary folders hide.
struct NginxSandbox {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Nil if namespaces can be created.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can make namespaces" }
        let made = try? Shell.run(namespaces + ["sh", "-c", "ip link set lo up && mount -t tmpfs tmpfs /run"])
        return made == nil ? "namespaces are not allowed here, or there is no ip command" : nil
    }()

    static var reason: Comment { "not tried: \(obstacle ?? "")" }

    private static let namespaces = [
        "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
    ]

    /// Runs a shell script that stops at the first failing command. It can call `gatehouse_nginx`.
    func run(_ script: String) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["timeout", "120"] + Self.namespaces + [
                "sh", "-c", Self.setup + script, "sh", Executable.root, folder.path,
            ])
    }

    private static let setup = """
        set -eu
        cp -a /etc "$2/etc"
        mount --bind "$2/etc" /etc
        for path in /usr/share /var /run; do mount -t tmpfs tmpfs $path; done
        ip link set lo up
        mkdir -p /etc/gatehouse /run/systemd/system /usr/share/gatehouse /var/lib/nginx /var/log/nginx /var/www "$2/bin"
        cp -r "$1/nginx" /usr/share/gatehouse/nginx
        cp "$1/deploy/lib/render-nginx" /usr/share/gatehouse/
        rm -rf /etc/nginx/*/gatehouse* /etc/nginx/conf.d/* /etc/nginx/sites-enabled/* /etc/nginx/modules-enabled/*
        cat >/etc/nginx/nginx.conf <<'END'
        user www-data;
        pid /run/nginx.pid;
        include /etc/nginx/modules-enabled/*.conf;
        events {}
        http {
            include /etc/nginx/mime.types;
            access_log /var/log/nginx/access.log;
            error_log /var/log/nginx/error.log;
            include /etc/nginx/conf.d/*.conf;
            include /etc/nginx/sites-enabled/*;
        }
        END
        echo SERVER_NAME=api.example.com >/etc/gatehouse/nginx.values
        cat >"$2/bin/systemctl" <<'END'
        #!/bin/sh
        echo "$*" >>/run/systemctl-calls
        [ "$*" != 'reload nginx' ] || nginx -s reload
        END
        chmod +x "$2/bin/systemctl"
        export PATH="$2/bin:$PATH"
        bin=$2/bin program=$1/deploy/debian/gatehouse-nginx
        gatehouse_nginx() { sh "$program" "$@"; }
        status_of() { "$@" && status=0 || status=$?; }
        nginx

        """
}
