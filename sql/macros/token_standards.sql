-- The one standard that other records give the tokens of records which do not say theirs.
CREATE MACRO token_standards() AS TABLE
SELECT token_address, min(token_standard) AS token_standard
FROM lake.token_transfers
WHERE token_standard IS NOT NULL
  AND token_address IN (
    SELECT token_address FROM lake.token_transfers WHERE token_standard IS NULL
  )
GROUP BY token_address
HAVING min(token_standard) = max(token_standard);
