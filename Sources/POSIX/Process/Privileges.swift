import CLinux
import Glibc

/// The privileges of root, and how a process gives them up.
package enum Privileges {
    /// Whether this process runs as root.
    package static var areRoots: Bool { geteuid() == 0 }

    /// Makes this process one of another user. There is no way back: the saved ids, the supplementary groups and the
    /// capabilities of root go as well, and no program that it starts can regain any.
    ///
    /// Throws where a step fails, or where any privilege of root is left after all steps. The process must end then.
    package static func giveUp(for account: Account, group: UInt32) throws(POSIXError) {
        try demandOneThread()
        let groups = Array(account.groups.union([group])).sorted()
        guard unsafe setgroups(groups.count, groups) == 0 else { throw POSIXError("setgroups") }
        guard setresgid(group, group, group) == 0 else { throw POSIXError("setresgid \(group)") }
        guard setresuid(account.id, account.id, account.id) == 0 else { throw POSIXError("setresuid \(account.id)") }
        // The kernel clears them with the last user id of root, unless the process was started with other securebits.
        try dropCapabilities()
        guard gatehouse_forbid_new_privileges() == 0 else { throw POSIXError("prctl PR_SET_NO_NEW_PRIVS") }
        // What root has opened for it, a terminal for one, is not for other processes of that user.
        try CoreDump.forbid()
        try verify(account.id, group: group, groups: groups)
    }

    /// Capabilities are those of a thread, and the kernel knows the ids of each thread alone.
    private static func demandOneThread() throws(POSIXError) {
        let threads: [String]
        do { threads = try File.names(in: "/proc/self/task") } catch {
            throw POSIXError("give up root: count the threads in /proc/self/task", code: error.code)
        }
        guard threads.count == 1 else {
            throw POSIXError("give up root in one of \(threads.count) threads", code: EPERM)
        }
    }

    private static func dropCapabilities() throws(POSIXError) {
        var header = capabilityHeader
        let none = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard unsafe capset(&header, none) == 0 else { throw POSIXError("capset") }
    }

    private static var capabilityHeader: __user_cap_header_struct {
        __user_cap_header_struct(version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
    }

    /// Throws where a capability is left, or where a program that this process starts could gain one.
    package static func verifyNoCapabilities() throws(POSIXError) {
        var header = capabilityHeader
        var found = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard unsafe capget(&header, &found) == 0 else { throw POSIXError("capget") }
        guard found.allSatisfy({ $0.effective == 0 && $0.permitted == 0 && $0.inheritable == 0 }) else {
            throw POSIXError("give up the capabilities of root", code: EPERM)
        }
        guard gatehouse_forbids_new_privileges() == 1 else {
            throw POSIXError("forbid new privileges (no_new_privs)", code: EPERM)
        }
    }

    /// Reads every id, the capabilities and no_new_privs back, and tries the way back.
    private static func verify(_ user: UInt32, group: UInt32, groups: [UInt32]) throws(POSIXError) {
        var (real, effective, saved) = (uid_t(), uid_t(), uid_t())
        guard unsafe getresuid(&real, &effective, &saved) == 0 else { throw POSIXError("getresuid") }
        var (realGroup, effectiveGroup, savedGroup) = (gid_t(), gid_t(), gid_t())
        guard unsafe getresgid(&realGroup, &effectiveGroup, &savedGroup) == 0 else { throw POSIXError("getresgid") }
        var found = [gid_t](repeating: 0, count: groups.count + 1)
        let count = unsafe getgroups(Int32(found.count), &found)
        guard [real, effective, saved].allSatisfy({ $0 == user }),
            [realGroup, effectiveGroup, savedGroup].allSatisfy({ $0 == group }),
            count == groups.count, found.prefix(Int(count)).sorted() == groups
        else { throw POSIXError("change to user \(user)", code: EPERM) }
        try verifyNoCapabilities()
        let unchanged = uid_t.max
        guard setresuid(unchanged, 0, unchanged) != 0, setresuid(0, 0, 0) != 0 else {
            throw POSIXError("give up root", code: EPERM)
        }
        guard groups.contains(0) || setresgid(unchanged, 0, unchanged) != 0 else {
            throw POSIXError("give up root", code: EPERM)
        }
    }
}
