"""Prints the number of records in all pages."""

import sys

from pages import addresses_in, pages

url, addresses, blocks = sys.argv[1:]
print(sum(len(records) for records in pages(url, addresses_in(addresses), int(blocks))))
