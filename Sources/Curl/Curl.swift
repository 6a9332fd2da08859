// Curl
