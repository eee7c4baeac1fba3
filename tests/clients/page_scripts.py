"""Makes the scripts of the pages from their sources: `make page-scripts`."""

from tests.support.web.page_scripts import check_types, write

if __name__ == "__main__":
    check_types()
    write()
