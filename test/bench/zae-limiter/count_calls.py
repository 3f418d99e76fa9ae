"""Counts zae-limiter's calls to DynamoDB, and what it allows under contention: count_calls.py ENDPOINT

The same work as the other contenders': 20 accounts in turn, a limit of 95 % of what is asked for; then 64 callers at
once for one key. It creates items in transactions, which dynalite does not have, so it runs on ministack.
"""

import asyncio
import collections
import os
import sys

import aiobotocore.client
from zae_limiter import Limit, RateLimiter, RateLimitExceeded, Repository

os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="us-east-1")

calls = collections.Counter()
send = aiobotocore.client.AioBaseClient._make_api_call


async def counted(self, name, params):
    calls[name] += 1
    return await send(self, name, params)


aiobotocore.client.AioBaseClient._make_api_call = counted


async def main(endpoint):
    repository = Repository("bench", region="us-east-1", endpoint_url=endpoint)
    await repository.create_table()
    limiter = RateLimiter(repository=repository)

    async def ask(key, limit):
        limits = [Limit.per_day("daily", limit)]
        try:
            async with limiter.acquire(entity_id=key, resource="api", limits=limits, consume={"daily": 1}):
                return 1
        except RateLimitExceeded:
            return 0

    accounts, asks, limit = 20, 60, 57
    # The first look at the stack's own settings is not any reservation's.
    await ask("warm-up", limit)
    calls.clear()
    allowed = 0
    for _ in range(asks):
        allowed += sum(await asyncio.gather(*[ask(f"partner-{i}", limit) for i in range(accounts)]))
    per_thousand = {name: round(count * 1000 / (accounts * asks), 1) for name, count in calls.items()}
    print(f"{allowed} of {accounts * limit} allowed; calls per 1,000: {per_thousand}")

    async def caller():
        return sum([await ask("contended", 100) for _ in range(5)])

    print(f"contended: {sum(await asyncio.gather(*[caller() for _ in range(64)]))} allowed of 100")


asyncio.run(main(sys.argv[1]))
