-- Transactions, fees and token transfers of the exported lists by day.
with transactions as (
    select
        block_date as day,
        count(*) as transactions,
        count(*) filter (not succeeded) as failed,
        count(distinct from_address) as senders,
        sum(tx_fee) as fees,
        bool_and(coverage_status = 'complete') as is_complete
    from {{ source('windrow', 'transactions') }}
    group by block_date
),

transfers as (
    select
        block_date as day,
        count(*) as token_transfers,
        count(distinct token_address) as tokens
    from {{ source('windrow', 'token_transfers') }}
    where tx_status is distinct from 'fail'
    group by block_date
)

select
    day,
    coalesce(transactions, 0) as transactions,
    coalesce(failed, 0) as failed,
    coalesce(senders, 0) as senders,
    coalesce(fees, 0) as fees,
    coalesce(token_transfers, 0) as token_transfers,
    coalesce(tokens, 0) as tokens,
    is_complete
from transactions
full join transfers using (day)
