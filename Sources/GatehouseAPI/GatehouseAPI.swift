// GatehouseAPI
