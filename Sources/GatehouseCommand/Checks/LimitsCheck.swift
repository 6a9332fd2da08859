import GatehouseServer
import POSIX

/// Whether as many connections can be open as nginx may want.
struct LimitsCheck: Check {
    let subject = "limits"
    let workers: Int

    func look() -> [Finding] { [judge(DescriptorLimit.most)] }

    func judge(_ most: Int) -> Finding {
        let (own, all) = (DescriptorNeed.own(workers: workers), DescriptorNeed.most(workers: workers))
        let advice =
            "LimitNOFILE=65536 in the unit (its own: systemctl show gatehouse -p LimitNOFILE), or fewer WORKERS"
        if most < own + 16 {
            return .fault("\(most) open files are allowed here, and \(workers) workers need \(own)", advice)
        }
        if most < all { return .note("\(most) open files are allowed here: \(most - own) connections at once", advice) }
        return .ok("\(most) open files are allowed here, and \(all) are needed at most")
    }
}
