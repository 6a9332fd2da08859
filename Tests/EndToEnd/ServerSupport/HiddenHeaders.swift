import Foundation
import TestSupport

/// A namespace of mounts without the headers and the pkg-config files of the server's C libraries. Only root can make
/// it.
enum HiddenHeaders {
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can mount" }
        let made = try? Shell.outcome(of: wrapper + ["true"])
        return made?.status == 0 ? nil : "file systems cannot be mounted here"
    }()

    /// Runs the command that follows in the namespace.
    static let wrapper = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", script, "sh"]

    /// Each folder of headers becomes a folder of links to the headers that remain.
    private static let script = """
        work=$(mktemp -d)
        mount -t tmpfs tmpfs "$work"
        hide() {
            [ -d "$1" ] || return 0
            copy=$work/$(echo "$1" | tr / _)
            mkdir "$copy"
            mount --bind "$1" "$copy"
            mount -t tmpfs tmpfs "$1"
            for path in "$copy"/*; do
                case ${path##*/} in
                    sqlite3*.h | fcgi* | fastcgi.h | openssl | curl | postgresql | libpq* | *.pc) ;;
                    *) ln -s "$path" "$1/${path##*/}" ;;
                esac
            done
        }
        for folder in /usr/lib/*/pkgconfig /usr/lib/pkgconfig /usr/share/pkgconfig; do hide "$folder"; done
        for folder in /usr/include/*-linux-gnu; do
            # Removed from the links of the folder above it.
            hide "$folder"
            links=$work/triplet
            mkdir "$links"
            mount --move "$folder" "$links"
            triplet=$folder
        done
        hide /usr/include
        rm "$triplet"
        mkdir "$triplet"
        mount --move "$links" "$triplet"
        for header in sqlite3.h fcgiapp.h openssl/evp.h curl/curl.h; do
            if echo "#include <$header>" | clang -E -x c - >/dev/null 2>&1; then
                echo "$header is still there" >&2
                exit 99
            fi
        done
        "$@" || status=$?
        umount -R -l "$work"
        rmdir "$work"
        exit ${status:-0}
        """
}
