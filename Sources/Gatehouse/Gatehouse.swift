// Gatehouse
