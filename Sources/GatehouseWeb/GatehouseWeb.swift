// GatehouseWeb
