"""The classes for programs with an event loop. From these the ones that block are made, by
`python -m tests.clients.blocking_half`."""
