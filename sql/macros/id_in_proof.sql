-- The id that reconciliations of a token have: of a token_1155 its own, else none.
CREATE MACRO id_in_proof(standard, token_id) AS
  CASE standard WHEN 'token_1155' THEN coalesce(token_id, '') ELSE '' END;
