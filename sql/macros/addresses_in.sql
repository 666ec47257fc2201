-- The addresses that a text names, in lower case, each once: records name several, separated by
-- commas.
--
-- example: SELECT addresses_in(to_address) FROM transactions LIMIT 10
CREATE MACRO addresses_in(party) AS CASE
  WHEN party IS NULL THEN []
  WHEN contains(party, ',') THEN list_distinct(
    list_filter(list_transform(string_split(lower(party), ','), lambda part: trim(part)),
      lambda part: part <> '')
  )
  ELSE [lower(party)]
END;
