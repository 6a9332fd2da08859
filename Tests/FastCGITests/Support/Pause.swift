import Threading

/// Long enough for the server to handle the data sent so far.
func pauseBriefly() {
    Thread.pause(for: .milliseconds(2))
}
