import POSIX

/// Long enough for the server to have looked at what was sent so far.
func pauseBriefly() {
    Thread.pause(for: .milliseconds(2))
}
