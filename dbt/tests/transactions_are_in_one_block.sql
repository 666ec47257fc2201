-- Hashes that stand in two blocks: the chain was reorganised between two readings, and a run has to
-- read the older block again.
select tx_hash
from {{ source('windrow', 'transactions') }}
group by tx_hash
having count(*) > 1
