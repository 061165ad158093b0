package x11

const testLine = "/ralph-loop --continue 6f1d2c3b-0a4e-4b5f-9c8d-7e6a5b4c3d2e"
