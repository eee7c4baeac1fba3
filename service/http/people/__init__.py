"""The pages for people, which are no part of the API's description."""
