"""The wire: `/v1` over HTTP."""
