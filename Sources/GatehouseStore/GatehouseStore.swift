// GatehouseStore
