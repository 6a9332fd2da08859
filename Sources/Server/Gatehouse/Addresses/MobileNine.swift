/// Mobile numbers of Argentina (+54 9 11…) and Brazil (+55 11 9…) have a 9 that many people leave out. It is one number.
extension NumberingPlan {
    /// Where the 9 is, among the digits with the calling code.
    private var placeOfNine: Int? {
        switch callingCode {
        case "54": 2
        case "55": 4
        default: nil
        }
    }

    /// Digits that lack their 9, with it; nil for others.
    func withNine(_ digits: String) -> String? {
        guard let place = placeOfNine, digits.utf8.count == 12 else { return nil }
        let complete = digits.prefix(place) + "9" + digits.dropFirst(place)
        guard let kind = try? entry(of: String(complete)).kind, kind == .mobile else { return nil }
        return isLandline(digits) ? nil : String(complete)
    }

    /// The digits of a mobile number without its 9; nil if it has none.
    func withoutNine(_ digits: String) -> String? {
        guard let place = placeOfNine, digits.utf8.count == 13 else { return nil }
        let short = String(digits.prefix(place) + digits.dropFirst(place + 1))
        return withNine(short) == digits ? short : nil
    }

    /// In Brazil landlines begin with 2 to 5 after the area code. In Argentina nothing tells them apart.
    private func isLandline(_ digits: String) -> Bool {
        callingCode == "55" && (try? entry(of: digits).kind) == .fixed
    }
}
