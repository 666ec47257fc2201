-- The days of daily_activity that count another number of transactions than the warehouse has.
select day
from {{ ref('daily_activity') }} as model
where transactions <> (
    select count(*)
    from {{ source('windrow', 'transactions') }}
    where block_date = model.day
)
