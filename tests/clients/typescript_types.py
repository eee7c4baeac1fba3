"""Makes the types of `@arbiter/client` from the description: `make client-types`."""

from tests.support.web.typescript_client import SCHEMA, generate_schema

if __name__ == "__main__":
    generate_schema(SCHEMA)
