/// Everything that is wrong with the words of a command.
struct UsageFaults: Error, Equatable {
    let faults: [String]
}
