"""The pages of the lists, as a program without windrow asks for them: by number."""

import csv

import requests

PATH = "/api/v5/mainchain/address/normal-transaction-list-multi"
WINDOW = 10_000
GROUP = 20
LIMIT = 100


def addresses_in(path):
    with open(path, newline="") as file:
        return [row["address"] for row in csv.DictReader(file)]


def pages(url, addresses, blocks):
    """Yields the records of each page."""
    session = requests.Session()
    for at in range(0, len(addresses), GROUP):
        for start in range(0, blocks, WINDOW):
            query = {
                "chainShortName": "MAINCHAIN",
                "address": ",".join(addresses[at : at + GROUP]),
                "startBlockHeight": start,
                "endBlockHeight": min(start + WINDOW, blocks) - 1,
                "limit": LIMIT,
            }
            page, total = 1, 1
            while page <= total:
                answer = session.get(url + PATH, params={**query, "page": page}, timeout=60)
                answer.raise_for_status()
                body = answer.json()
                if body["code"] != "0":
                    raise RuntimeError(body["msg"])
                [data] = body["data"]
                total = int(data["totalPage"] or 0)
                if data["transactionList"]:
                    yield data["transactionList"]
                page += 1
