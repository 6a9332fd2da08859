// AppleID
