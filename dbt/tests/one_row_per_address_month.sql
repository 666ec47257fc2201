-- Rows of address_months that have another one of the same key.
select address, axis, month, token
from {{ ref('address_months') }}
group by all
having count(*) > 1
