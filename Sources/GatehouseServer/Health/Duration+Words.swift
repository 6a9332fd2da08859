import Gatehouse

extension Duration {
    /// As people say it: `40 s`, `3 min`, `5 h`.
    var inWords: String {
        let seconds = wholeSeconds
        return switch seconds {
        case ..<60: "\(max(0, seconds)) s"
        case ..<3600: "\(seconds / 60) min"
        default: "\(seconds / 3600) h"
        }
    }
}
