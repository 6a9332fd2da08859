// GatehouseTokens
