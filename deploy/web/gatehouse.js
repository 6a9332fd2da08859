// The library for pages.
export {};
