// The types of gatehouse.js.
export {};
