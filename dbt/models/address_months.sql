-- Received and sent amounts of each followed address by month, chain and token.
select
    address,
    any_value(label) as label,
    axis,
    date_trunc('month', block_date) as month,
    coalesce(token_address, 'native') as token,
    any_value(symbol) as symbol,
    fsum(signed_double) filter (direction = 'in') as received,
    -fsum(signed_double) filter (direction = 'out') as sent,
    count(*) as legs,
    count(*) filter (signed_text is null) as unknown_legs,
    bool_and(coverage_status = 'complete') as is_complete
from {{ source('windrow', 'address_activity') }}
where followed
group by address, axis, month, token
