/// The statuses that are told apart: all that we answer with.
enum StatusLabel {
    /// What an answer has that we owe somebody an apology for.
    static let failure = "503"
    private static let numbers = [200, 204, 304, 400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503]
    static let all = numbers.map(String.init) + ["other"]

    static func isFailure(_ place: Int) -> Bool { place < numbers.count && numbers[place] >= 500 }

    static func place(of status: Int) -> Int { numbers.firstIndex(of: status) ?? numbers.count }
}
